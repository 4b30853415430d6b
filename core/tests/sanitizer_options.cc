// Makes allocations that cannot succeed fail, as they do without a sanitizer, instead of ending the
// tests that want to see them fail.

extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
