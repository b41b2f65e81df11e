// Numbers of BYTES bytes, and pairs of them.
#pragma once

#if BYTES == 8
typedef double Real;
typedef double2 Pair;
#else
typedef float Real;
typedef float2 Pair;
#endif
