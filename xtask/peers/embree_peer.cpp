// Embree beside `nearfield bench sbr`, asked line by line: one thread, single precision, watertight or not as Embree has it by default.
//
//   version            answers its version
//   mesh V T           then V x 3 floats and T x 3 unsigned; builds the best tree and answers the seconds that it took
//   rays N             then N x 7 floats: origin, direction, least distance; answers N
//   cast WAY TIMES     WAY is 1, 8, 16 (rays at once) or stream, and with a `c` behind it the rays are called coherent; answers the best seconds of so many times, and hits
#include <embree3/rtcore.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Start {
    float origin[3], direction[3], least;
};

template <class T>
std::vector<T> read(std::size_t count) {
    std::vector<T> values(count);
    std::cin.read(reinterpret_cast<char*>(values.data()), count * sizeof(T));
    return values;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Peer {
public:
    Peer() : device(rtcNewDevice("threads=1")) {}

    std::string version() const {
        return std::to_string(rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MAJOR)) + "." +
               std::to_string(rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MINOR)) + "." +
               std::to_string(rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_PATCH));
    }

    double mesh(std::size_t vertices, std::size_t triangles) {
        const auto places = read<float>(3 * vertices);
        const auto corners = read<std::uint32_t>(3 * triangles);
        if (scene) rtcReleaseScene(scene);
        const auto start = std::chrono::steady_clock::now();
        scene = rtcNewScene(device);
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH);
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
        auto* to = static_cast<float*>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), vertices));
        std::copy(places.begin(), places.end(), to);
        auto* indices = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t), triangles));
        std::copy(corners.begin(), corners.end(), indices);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
        return seconds_since(start);
    }

    std::size_t rays(std::size_t count) {
        starts = read<Start>(count);
        return count;
    }

    // The best of several casts, one directly after the other; rays are laid out anew before each, which is not timed.
    void cast(const std::string& way, int times) {
        double best = std::numeric_limits<double>::infinity();
        std::size_t hits = 0;
        for (int time = 0; time < times; ++time) {
            const auto [seconds, found] = once(way);
            best = std::min(best, seconds);
            hits = found;
        }
        std::cout << best << ' ' << hits << std::endl;
    }

private:
    using Result = std::pair<double, std::size_t>;

    RTCDevice device;
    RTCScene scene = nullptr;
    std::vector<Start> starts;

    Result once(std::string way) {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        if (way.back() == 'c') {
            context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
            way.pop_back();
        }
        if (way == "8") {
            return packets<RTCRayHit8, 8>([&](const int* valid, RTCRayHit8* rays) { rtcIntersect8(valid, scene, &context, rays); });
        }
        if (way == "16") {
            return packets<RTCRayHit16, 16>([&](const int* valid, RTCRayHit16* rays) { rtcIntersect16(valid, scene, &context, rays); });
        }
        return singles(context, way == "stream");
    }

    Result singles(RTCIntersectContext& context, bool stream) {
        std::vector<RTCRayHit> rays(starts.size());
        for (std::size_t i = 0; i < starts.size(); ++i) {
            const Start& s = starts[i];
            RTCRay& ray = rays[i].ray;
            ray = RTCRay{};
            ray.org_x = s.origin[0], ray.org_y = s.origin[1], ray.org_z = s.origin[2];
            ray.dir_x = s.direction[0], ray.dir_y = s.direction[1], ray.dir_z = s.direction[2];
            ray.tnear = s.least;
            ray.tfar = std::numeric_limits<float>::infinity();
            ray.mask = ~0u;
            rays[i].hit.geomID = RTC_INVALID_GEOMETRY_ID;
        }
        const std::size_t block = 256;
        const auto start = std::chrono::steady_clock::now();
        if (stream) {
            for (std::size_t i = 0; i < rays.size(); i += block) {
                rtcIntersect1M(scene, &context, &rays[i], std::min(block, rays.size() - i), sizeof(RTCRayHit));
            }
        } else {
            for (RTCRayHit& ray : rays) rtcIntersect1(scene, &context, &ray);
        }
        const double seconds = seconds_since(start);
        std::size_t hits = 0;
        for (const RTCRayHit& ray : rays) hits += ray.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        return {seconds, hits};
    }

    template <class Packet, std::size_t N, class Cast>
    Result packets(Cast cast) {
        const std::size_t count = (starts.size() + N - 1) / N;
        std::vector<Packet> rays(count);
        alignas(64) int valid[N];
        std::fill(valid, valid + N, -1);
        for (std::size_t i = 0; i < count * N; ++i) {
            const Start& s = starts[std::min(i, starts.size() - 1)];
            Packet& p = rays[i / N];
            const std::size_t k = i % N;
            p.ray.org_x[k] = s.origin[0], p.ray.org_y[k] = s.origin[1], p.ray.org_z[k] = s.origin[2];
            p.ray.dir_x[k] = s.direction[0], p.ray.dir_y[k] = s.direction[1], p.ray.dir_z[k] = s.direction[2];
            p.ray.tnear[k] = s.least;
            p.ray.tfar[k] = std::numeric_limits<float>::infinity();
            p.ray.time[k] = 0.0f;
            p.ray.mask[k] = ~0u;
            p.ray.flags[k] = 0;
            p.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
        }
        const auto start = std::chrono::steady_clock::now();
        for (Packet& packet : rays) cast(valid, &packet);
        const double seconds = seconds_since(start);
        std::size_t hits = 0;
        for (std::size_t i = 0; i < starts.size(); ++i) hits += rays[i / N].hit.geomID[i % N] != RTC_INVALID_GEOMETRY_ID;
        return {seconds, hits};
    }
};

}  // namespace

int main() {
    Peer peer;
    std::string what;
    while (std::cin >> what) {
        std::size_t a = 0, b = 0;
        if (what == "version") {
            std::cout << peer.version() << std::endl;
        } else if (what == "mesh") {
            std::cin >> a >> b;
            std::cin.get();
            std::cout << peer.mesh(a, b) << std::endl;
        } else if (what == "rays") {
            std::cin >> a;
            std::cin.get();
            std::cout << peer.rays(a) << std::endl;
        } else if (what == "cast") {
            std::cin >> what >> a;
            peer.cast(what, static_cast<int>(a));
        }
    }
}
