import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    pool: 'forks',
    include: ['tests/**/*.test.ts', 'src/**/*.test.ts'],
    globalSetup: 'tests/harness/global-setup.ts',
    // Patience, not a measure: tests wait for conditions, and a busy machine starts servers slowly.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
  },
})
