// What all structures of this folder use: numbers of known size, and a check of every place. kernels/build makes the
// structures of Rust from these headers, and adds the checks to them.
#pragma once

typedef unsigned char u8;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

#define NEARFIELD_SIZE(type, size) static_assert(sizeof(type) == size, #type " has another size in Rust")
#define NEARFIELD_FIELD(type, field, offset) \
    static_assert(__INTADDR__(&(static_cast<type*>(nullptr)->field)) == offset, #type "::" #field " lies elsewhere in Rust")
