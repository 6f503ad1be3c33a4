/** A setup file of Vitest: bytes are compared as bytes. `toEqual` would compare the 20 million of a file one by one, each as a property. */
import { expect } from 'vitest'

expect.addEqualityTesters([
  (one, other) =>
    areBytesOfOneType(one, other) ? Buffer.compare(one as Uint8Array, other as Uint8Array) === 0 : undefined,
])

const areBytesOfOneType = (one: unknown, other: unknown): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array && one.constructor === other.constructor
