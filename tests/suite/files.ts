/** How test files run: sharing a process, in a separate process, and in which order. */

/**
 * Files that need a separate process. All others share one with the files before and after them: they dispose of what they start, and
 * change only resources of their own (a database, a folder, ports, an environment that they pass on).
 */
export const isolated = [
  // These replace the clock and the timers of the whole process.
  'tests/campaign/simulator/*.test.ts',
  'src/sites/site-routes/serve/send-bytes.test.ts',
  // These measure the process: memory, processor time, and how both grow with the length of a text.
  'tests/campaign/cost/*.test.ts',
  'tests/campaign/floods/refused-bodies.test.ts',
  'tests/campaign/floods/bodies.test.ts',
  'tests/campaign/floods/served-once.test.ts',
  'tests/campaign/floods/answer-bounds.test.ts',
  'tests/campaign/recordings/hostile-opened.test.ts',
  'src/sandbox/hostile.test.ts',
  // These put a secret into the environment of the process, to show that no confined process sees it.
  'tests/campaign/jail/confinement.test.ts',
  'tests/campaign/jail/shell.test.ts',
  // This counts compiled routes, which no other file may have compiled before.
  'src/warm.test.ts',
]

/**
 * Files that take ten seconds and more by the clock, which begin first, so that none runs last while the other workers are idle. Only an order:
 * files that are not listed follow by size.
 */
export const longest = [
  'tests/account/console/journey.test.ts',
  'tests/media/studio-image.test.ts',
  'tests/conduct/faults.test.ts',
  'tests/contract/faults/faults.test.ts',
  'tests/contract/every-route/apps.test.ts',
  'tests/account/docs-page.test.ts',
  'tests/contract/full-disks.test.ts',
  'tests/conduct/background.test.ts',
  'tests/platform/db/upgrade.test.ts',
  'tests/crash/families.test.ts',
  'tests/platform/jobs/jobs.test.ts',
  'tests/conduct/disconnect.test.ts',
  'tests/contract/every-route/media.test.ts',
  'tests/sites/generator.test.ts',
  'tests/races/double-spend.test.ts',
  'tests/text/batches.test.ts',
  'tests/media/media-outages.test.ts',
  'tests/work/knowledge.test.ts',
  'tests/account/webhooks-delivery.test.ts',
  'tests/cloud/users/mail.test.ts',
  'tests/contract/every-route/text.test.ts',
  'tests/media/transcription/faults.test.ts',
  'tests/providers/fal.test.ts',
]

/**
 * What `npm run test:quick` runs: pure logic, and of the rest the files that need at most one server. At least one success and one refusal
 * of every route (every-route), the charges of one call and of concurrent ones, the recorded public interfaces, and the rules of the
 * repository.
 */
export const quick = [
  'src/**/*.test.ts',
  'console/**/*.test.ts',
  'tests/cli/amounts.test.ts',
  'tests/contract/aliases.test.ts',
  'tests/account/errors-doc.test.ts',
  'tests/contract/every-route/*.test.ts',
  'tests/contract/lock.test.ts',
  'tests/account/openapi.test.ts',
  'tests/contract/path-ids.test.ts',
  'tests/conduct/patterns.test.ts',
  'tests/crash/stop.test.ts',
  'tests/platform/db/migrate.test.ts',
  'tests/platform/ledger/record.test.ts',
  'tests/platform/ledger/rehold.test.ts',
  'tests/providers/chat-completions.test.ts',
  'tests/providers/messages-request.test.ts',
  'tests/providers/responses-request.test.ts',
  'tests/providers/sse.test.ts',
  'tests/races/double-spend.test.ts',
  'tests/races/one-key.test.ts',
]
