/** fast-check with the seed of the commit. */
import fc from 'fast-check'
import { testSeed } from './seed.ts'

fc.configureGlobal({ seed: testSeed })

export default fc
