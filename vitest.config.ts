import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    pool: 'forks',
    include: ['tests/**/*.test.ts', 'src/**/*.test.ts'],
    globalSetup: 'tests/harness/global-setup.ts',
    // Patience, not a measure: tests wait for conditions, and a busy machine starts servers slowly.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    // Tests beside each other in one file, most of which start servers: a second of a core each.
    maxConcurrency: 3,
  },
})
