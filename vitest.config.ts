import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { FileOrder } from './tests/suite/file-order.ts'
import { filesOf, isIsolated } from './tests/suite/suites.ts'

/** Which suite is run (tests/suite/suites.ts); any file where none is named: `npx vitest run tests/text/chat.test.ts`. */
const files = filesOf(process.env['KHERAD_SUITE'])
const [isolated, shared] = [files.filter(isIsolated), files.filter((file) => !isIsolated(file))]

const project = (name: string, groupOrder: number, more: object): TestProjectInlineConfiguration => ({
  // What is set for all below is that of each, too; lists of both would be joined.
  test: { name, sequence: { groupOrder }, ...more },
})

export default defineConfig({
  test: {
    pool: 'forks',
    // Node imports the sources as it does in production: Vite's module runner looks up each imported name anew, which takes a fifth of the run.
    experimental: { viteModuleRunner: false },
    // The first registers first, so that its hook runs last: what the checks of the other take counts.
    setupFiles: [
      'tests/suite/measure-file.ts',
      'tests/harness/file-end.ts',
      'tests/harness/timeouts.ts',
      'tests/harness/byte-equality.ts',
    ],
    // Tests beside each other in one file, most of which start servers: a second of a core each.
    maxConcurrency: 3,
    globalSetup: 'tests/harness/global-setup.ts',
    reporters: ['./tests/suite/report.ts', 'default'],
    sequence: { sequencer: FileOrder },
    projects: [
      // One for each core: they measure what the processor does.
      ...(isolated.length ? [project('isolated', 0, { include: isolated, maxWorkers: 2 })] : []),
      // One more than cores: those that wait for leases and outages leave theirs to others.
      ...(shared.length ? [project('shared', 1, { include: shared, isolate: false, maxWorkers: 3 })] : []),
    ],
  },
})
