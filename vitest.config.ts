import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { FileOrder } from './tests/harness/file-order.ts'
import { every, isolated } from './tests/harness/files.ts'

export const common = {
  pool: 'forks',
  setupFiles: 'tests/harness/file-end.ts',
  // Patience, not a measure: tests wait for conditions, and a busy machine starts servers slowly.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  // Tests beside each other in one file, most of which start servers: a second of a core each.
  maxConcurrency: 3,
} as const

const project = (name: string, groupOrder: number, more: object): TestProjectInlineConfiguration => ({
  test: { ...common, name, sequence: { groupOrder }, ...more },
})

export default defineConfig({
  test: {
    ...common,
    globalSetup: 'tests/harness/global-setup.ts',
    sequence: { sequencer: FileOrder },
    projects: [
      // One for each core: they measure what the processor does.
      project('isolated', 0, { include: isolated, maxWorkers: 2 }),
      // One more than cores: those that wait for leases and outages leave theirs to others.
      project('shared', 1, { include: every, exclude: isolated, isolate: false, maxWorkers: 3 }),
    ],
  },
})
