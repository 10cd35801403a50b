/* The version of the extension. */
#ifndef BLOOM_VERSION_H
#define BLOOM_VERSION_H

#define BLOOM_VERSION "1.5.0"

#endif
