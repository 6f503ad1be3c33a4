/** Before and after each test file: the processor time that it took, in this process and in all that it started. */
import { afterAll, beforeAll } from 'vitest'
import { processorMs } from './processor-time.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: processor time in milliseconds, without that of the PostgreSQL that all files share. */
    processorMs?: number
  }
}

let beforeMs = 0
beforeAll(() => {
  beforeMs = processorMs()
})
// Declared before those of the file, so it runs after them.
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from this pattern, and there are none.
afterAll(({}, suite) => {
  suite.file.meta.processorMs = processorMs() - beforeMs
})
