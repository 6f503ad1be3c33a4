/** Which test files run how: beside others in one process, in a process of their own, and in which order. */

export const every = ['tests/**/*.test.ts', 'src/**/*.test.ts']

/**
 * Files that need a process of their own. All others share one with those before and after them: whatever they start they dispose, and
 * what they change lies in a world of theirs (a database, a folder, ports, an environment that is handed on).
 */
export const isolated = [
  // The clock and the timers of the whole process are bent.
  'tests/simulation/*.test.ts',
  // What the process uses is measured: memory, processor time, and how it grows with the length of a text.
  'tests/cost/*.test.ts',
  'tests/conduct/leaks.test.ts',
  'tests/contract/bad-input.test.ts',
  'tests/contract/bodies.test.ts',
  'tests/contract/files-memory.test.ts',
  'tests/contract/served-once.test.ts',
  'tests/providers/answer-bounds.test.ts',
  'src/providers/sandbox/hostile.test.ts',
  // A secret is put into the environment of the process, to show that no confined one sees it.
  'tests/tools/confinement.test.ts',
  'tests/tools/shell.test.ts',
  // It counts what no other file may have compiled.
  'src/warm.test.ts',
]

/**
 * The files that take longest, the longest first, so that no long one is left for the end when the other worker has nothing more to do.
 * An order, not a list of all: what is not named follows by size.
 */
export const longest = [
  'tests/tools/shell.test.ts',
  'tests/cost/upstream.test.ts',
  'tests/cost/readers.test.ts',
  'tests/tools/confinement.test.ts',
  'tests/cost/routes.test.ts',
  'tests/simulation/conformance.test.ts',
  'tests/contract/work-data.test.ts',
  'tests/crash/batches.test.ts',
  'tests/crash/work.test.ts',
  'tests/crash/outage.test.ts',
  'tests/contract/messages-tools.test.ts',
  'tests/crash/rolling-restart.test.ts',
  'tests/contract/every-route.test.ts',
  'tests/db/embedded.test.ts',
  'tests/cli/set.test.ts',
  'tests/crash/database.test.ts',
  'tests/cli/refusals.test.ts',
  'tests/tools/fetch.test.ts',
  'tests/crash/heartbeat.test.ts',
  'tests/proxy/providers.test.ts',
  'tests/crash/set-aside.test.ts',
  'tests/cli/reconcile.test.ts',
  'tests/observability/workers.test.ts',
  'tests/contract/work-time.test.ts',
  'tests/db/roles.test.ts',
  'tests/contract/batches.test.ts',
  'tests/db/embedded-users.test.ts',
  'tests/contract/idempotency.test.ts',
  'tests/agent/files.test.ts',
  'tests/conduct/patience.test.ts',
]

/**
 * What `npm run test:quick` runs: pure logic, and of the rest what needs one server a file or none. Of every route at least one success
 * and one refusal (every-route), the money of one call and of many at once, what is written down of the outside, and the rules of the house.
 */
export const quick = [
  'src/**/*.test.ts',
  'tests/cli/amounts.test.ts',
  'tests/contract/aliases.test.ts',
  'tests/contract/errors-doc.test.ts',
  'tests/contract/every-route.test.ts',
  'tests/contract/lock.test.ts',
  'tests/contract/openapi.test.ts',
  'tests/contract/path-ids.test.ts',
  'tests/conduct/patterns.test.ts',
  'tests/crash/stop.test.ts',
  'tests/db/migrate.test.ts',
  'tests/ledger/record.test.ts',
  'tests/ledger/rehold.test.ts',
  'tests/providers/chat-completions.test.ts',
  'tests/providers/messages-request.test.ts',
  'tests/providers/responses-request.test.ts',
  'tests/providers/sse.test.ts',
  'tests/races/double-spend.test.ts',
  'tests/races/one-key.test.ts',
]
