// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <curl/curl.h>
// Variadic functions are not imported into Swift; each that is needed has one fixed form here.
static inline CURLcode assent_curl_set_number(CURL *curl, CURLoption option, long value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode assent_curl_set_text(CURL *curl, CURLoption option, const char *value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode assent_curl_set_headers(CURL *curl, struct curl_slist *headers) {
  return curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
}
static inline size_t assent_curl_drop(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes, (void)context;
  return size * count;
}
// Answers' bodies are not wanted; without this they would be printed.
static inline CURLcode assent_curl_drop_bodies(CURL *curl) {
  return curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, assent_curl_drop);
}
static inline long assent_curl_status(CURL *curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}
static inline long long assent_curl_retry_after(CURL *curl) {
  curl_off_t seconds = 0;
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
  return seconds;
}
