import { defineConfig } from 'vitest/config'
import { FileOrder } from './tests/harness/file-order.ts'
import { quick } from './tests/harness/files.ts'
import { common } from './vitest.config.ts'

/** `npm run test:quick`: the chosen files, in three processes that each runs many of. */
export default defineConfig({
  test: {
    ...common,
    globalSetup: 'tests/harness/global-setup.ts',
    include: quick,
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: FileOrder },
  },
})
