/** fast-check with the seed of the commit. */
import fc from 'fast-check'
import { testSeed } from './seed.ts'

fc.configureGlobal({ seed: testSeed })

export default fc

const surrogates = { first: 0xd800, count: 0x800 }

/** Any one character of Unicode, as the unit of a text. fast-check's own `binary` keeps a map of all of them, 80 MB, for the whole process. */
export const anyCharacter = fc
  .nat(0x10ffff - surrogates.count)
  .map((at) => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count))
