// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sodium.h>
#include <string.h>

// SHA-256 by the processor's own instructions, which Swift has no name for. libsodium 1.0.18 has portable C alone, which
// takes seven times as long; hashing was a quarter of what an audit entry costs. Sources: FIPS 180-4, section 6.2; Intel,
// "Intel SHA Extensions" (2013).
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// Whether there are SHA, SSSE3 and SSE4.1.
static inline int assent_has_sha256(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & (1u << 29))) return 0;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 9)) && (c & (1u << 19));
}

static const uint32_t assent_sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Takes blocks of 64 bytes into the eight words of a state.
__attribute__((target("sha,sse4.1,ssse3")))
static inline void assent_sha256_blocks(uint32_t *state, const uint8_t *bytes, size_t blocks) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  // The instructions want the words as (a, b, e, f) and (c, d, g, h), the first of each highest.
  __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
  __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);
  for (; blocks > 0; blocks--, bytes += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    // The last sixteen words of the message schedule, four to a vector.
    __m128i w[4];
    for (int i = 0; i < 4; i++) {
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), big_endian);
    }
#pragma clang loop unroll(full)
    for (int four = 0; four < 16; four++) {
      const __m128i now = w[four & 3];
      __m128i sum = _mm_add_epi32(now, _mm_loadu_si128((const __m128i *)(assent_sha256_constants + 4 * four)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      const __m128i last = w[(four + 3) & 3];
      const __m128i seven_back = _mm_alignr_epi8(last, w[(four + 2) & 3], 4);
      const __m128i partly = _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(four + 1) & 3]), seven_back);
      w[four & 3] = _mm_sha256msg2_epu32(partly, last);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#else
static inline int assent_has_sha256(void) { return 0; }
static inline void assent_sha256_blocks(uint32_t *state, const uint8_t *bytes, size_t blocks) {
  (void)state, (void)bytes, (void)blocks;
}
#endif

// As crypto_hash_sha256_update and crypto_hash_sha256_final, on the same state; only where assent_has_sha256().
static inline void assent_sha256_update(crypto_hash_sha256_state *hash, const uint8_t *bytes, size_t count) {
  size_t held = (hash->count >> 3) & 63;
  hash->count += (uint64_t)count << 3;
  if (held > 0) {
    size_t taken = count < 64 - held ? count : 64 - held;
    memcpy(hash->buf + held, bytes, taken);
    if (held + taken < 64) return;
    assent_sha256_blocks(hash->state, hash->buf, 1);
    bytes += taken;
    count -= taken;
  }
  assent_sha256_blocks(hash->state, bytes, count >> 6);
  memcpy(hash->buf, bytes + (count & ~(size_t)63), count & 63);
}

static inline void assent_sha256_final(crypto_hash_sha256_state *hash, uint8_t *digest) {
  const uint64_t bits = hash->count;
  size_t held = (bits >> 3) & 63;
  hash->buf[held++] = 0x80;
  if (held > 56) {
    memset(hash->buf + held, 0, 64 - held);
    assent_sha256_blocks(hash->state, hash->buf, 1);
    held = 0;
  }
  memset(hash->buf + held, 0, 56 - held);
  for (int i = 0; i < 8; i++) hash->buf[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
  assent_sha256_blocks(hash->state, hash->buf, 1);
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(hash->state[i >> 2] >> (24 - 8 * (i & 3)));
}
