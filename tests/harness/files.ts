/** How test files run: sharing a process, in a separate process, and in which order. */

export const every = ['tests/**/*.test.ts', 'src/**/*.test.ts']

/**
 * Files that need a separate process. All others share one with the files before and after them: they dispose of what they start, and
 * change only resources of their own (a database, a folder, ports, an environment that they pass on).
 */
export const isolated = [
  // These replace the clock and the timers of the whole process.
  'tests/simulation/*.test.ts',
  'src/capabilities/sites/serve/send-bytes.test.ts',
  // These measure the process: memory, processor time, and how both grow with the length of a text.
  'tests/cost/*.test.ts',
  'tests/conduct/leaks.test.ts',
  'tests/contract/bad-input.test.ts',
  'tests/contract/bodies.test.ts',
  'tests/contract/files-memory.test.ts',
  'tests/contract/references-memory.test.ts',
  'tests/contract/served-once.test.ts',
  'tests/providers/answer-bounds.test.ts',
  'tests/sites/idle.test.ts',
  'tests/sound/hostile-opened.test.ts',
  'tests/transcription/largest-form.test.ts',
  'src/providers/sandbox/hostile.test.ts',
  // These put a secret into the environment of the process, to show that no confined process sees it.
  'tests/tools/confinement.test.ts',
  'tests/tools/shell.test.ts',
  // This counts compiled routes, which no other file may have compiled before.
  'src/warm.test.ts',
]

/**
 * The slowest files, slowest first, so that no slow one runs last while the other workers are idle. Only an order: files that are not
 * listed follow by size.
 */
export const longest = [
  'tests/crash/videos.test.ts',
  'tests/crash/batches.test.ts',
  'tests/crash/work.test.ts',
  'tests/media/sandbox-video.test.ts',
  'tests/cloud/dedicated/backups.test.ts',
  'tests/cloud/dedicated/backups-local.test.ts',
  'tests/sound/hostile-recordings.test.ts',
  'tests/crash/dedicated.test.ts',
  'tests/videos/wires.test.ts',
  'tests/sound/four-hours.test.ts',
  'tests/cloud/databases/killed.test.ts',
  'tests/crash/clouds.test.ts',
  'tests/cloud/functions/deploy.test.ts',
  'tests/cli/studio.test.ts',
  'tests/contract/transcription-recordings.test.ts',
  'tests/contract/every-route/apps.test.ts',
  'tests/sound/opened.test.ts',
  'tests/videos/faults.test.ts',
  'tests/contract/media-faults.test.ts',
  'tests/media/playback.test.ts',
  'tests/cloud/jail/escape.test.ts',
  'tests/cloud/supabase-js/dedicated.test.ts',
  'tests/realtime/browser.test.ts',
  'tests/cloud/jail/break-out.test.ts',
  'tests/contract/work-data.test.ts',
  'tests/videos/outages.test.ts',
  'tests/crash/rolling-restart.test.ts',
  'tests/crash/dedicated-mail.test.ts',
  'tests/tools/shell.test.ts',
  'tests/crash/outage.test.ts',
  'tests/cost/upstream.test.ts',
  'tests/crash/set-aside.test.ts',
  'tests/cli/video.test.ts',
  'tests/crash/objects.test.ts',
  'tests/contract/messages-tools.test.ts',
  'tests/transcription/faults.test.ts',
  'tests/videos/sandbox.test.ts',
  'tests/realtime/page.test.ts',
  'tests/videos/edges.test.ts',
  'tests/realtime/turns/end-of-turn.test.ts',
  'tests/realtime/hosts-webrtc.test.ts',
  'tests/cli/embedded.test.ts',
  'tests/sound/hostile-opened.test.ts',
  'tests/contract/picture-bombs.test.ts',
  'tests/crash/orders.test.ts',
  'tests/videos/late.test.ts',
  'tests/crash/database.test.ts',
  'tests/crash/stored.test.ts',
  'tests/cli/journey.test.ts',
  'tests/tools/fetch.test.ts',
  'tests/media/video-probe.test.ts',
  'tests/sound/recordings.test.ts',
  'tests/db/roles.test.ts',
  'tests/contract/studio-image.test.ts',
  'tests/agent/files.test.ts',
  'tests/cloud/dedicated/functions.test.ts',
  'tests/cloud/dedicated/attacks.test.ts',
  'tests/crash/random-kills.test.ts',
  'tests/crash/kill.test.ts',
  'tests/crash/transcripts.test.ts',
  'tests/db/upgrade.test.ts',
  'tests/cli/set.test.ts',
  'tests/crash/heartbeat.test.ts',
  'tests/media/hostile-svg.test.ts',
  'tests/simulation/conformance.test.ts',
  'tests/sound/decode.test.ts',
  'tests/cloud/databases/limits.test.ts',
  'tests/apps/start.test.ts',
  'tests/contract/studio-recordings.test.ts',
  'tests/transcription/transcript.test.ts',
  'tests/crash/drain.test.ts',
  'tests/db/embedded.test.ts',
  'tests/transcription/four-hours.test.ts',
  'tests/cloud/dedicated/example.test.ts',
  'tests/cli/cloud-sql.test.ts',
  'tests/crash/sites.test.ts',
  'tests/observability/workers.test.ts',
  'tests/videos/openrouter-videos.test.ts',
  'tests/videos/studio-video.test.ts',
  'tests/contract/references-memory.test.ts',
  'tests/contract/images-edits.test.ts',
]

/**
 * What `npm run test:quick` runs: pure logic, and of the rest the files that need at most one server. At least one success and one refusal
 * of every route (every-route), the charges of one call and of concurrent ones, the recorded public interfaces, and the rules of the
 * repository.
 */
export const quick = [
  'src/**/*.test.ts',
  'tests/cli/amounts.test.ts',
  'tests/contract/aliases.test.ts',
  'tests/contract/errors-doc.test.ts',
  'tests/contract/every-route/*.test.ts',
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
