/** How test files run: sharing a process, in a separate process, and in which order. */

/**
 * Files that need a separate process. All others share one with the files before and after them: they dispose of what they start, and
 * change only resources of their own (a database, a folder, ports, an environment that they pass on).
 */
export const isolated = [
  // These replace the clock and the timers of the whole process.
  'tests/campaign/simulator/*.test.ts',
  'src/capabilities/sites/serve/send-bytes.test.ts',
  // These measure the process: memory, processor time, and how both grow with the length of a text.
  'tests/campaign/cost/*.test.ts',
  'tests/contract/bad-input.test.ts',
  'tests/contract/bodies.test.ts',
  'tests/contract/served-once.test.ts',
  'tests/providers/answer-bounds.test.ts',
  'tests/campaign/recordings/hostile-opened.test.ts',
  'src/providers/sandbox/hostile.test.ts',
  // These put a secret into the environment of the process, to show that no confined process sees it.
  'tests/campaign/jail/confinement.test.ts',
  'tests/campaign/jail/shell.test.ts',
  // This counts compiled routes, which no other file may have compiled before.
  'src/warm.test.ts',
]

/**
 * The slowest files, slowest first, so that no slow one runs last while the other workers are idle. Only an order: files that are not
 * listed follow by size.
 */
export const longest = [
  'tests/campaign/kills/videos.test.ts',
  'tests/campaign/kills/batches.test.ts',
  'tests/campaign/kills/work.test.ts',
  'tests/campaign/films/sandbox-video.test.ts',
  'tests/campaign/dedicated/backups.test.ts',
  'tests/campaign/dedicated/backups-local.test.ts',
  'tests/campaign/recordings/hostile-recordings.test.ts',
  'tests/campaign/kills/dedicated.test.ts',
  'tests/campaign/films/wires.test.ts',
  'tests/campaign/recordings/four-hours.test.ts',
  'tests/campaign/kills/killed.test.ts',
  'tests/campaign/kills/clouds.test.ts',
  'tests/campaign/functions/deploy.test.ts',
  'tests/campaign/films/studio.test.ts',
  'tests/campaign/recordings/transcription-recordings.test.ts',
  'tests/contract/every-route/apps.test.ts',
  'tests/campaign/recordings/opened.test.ts',
  'tests/campaign/films/faults.test.ts',
  'tests/contract/media-faults.test.ts',
  'tests/campaign/films/playback.test.ts',
  'tests/campaign/jail/escape.test.ts',
  'tests/campaign/dedicated/dedicated.test.ts',
  'tests/campaign/voice/browser.test.ts',
  'tests/campaign/jail/break-out.test.ts',
  'tests/contract/work-data.test.ts',
  'tests/campaign/films/outages.test.ts',
  'tests/campaign/kills/rolling-restart.test.ts',
  'tests/campaign/kills/dedicated-mail.test.ts',
  'tests/campaign/jail/shell.test.ts',
  'tests/campaign/kills/outage.test.ts',
  'tests/campaign/cost/upstream.test.ts',
  'tests/campaign/kills/set-aside.test.ts',
  'tests/campaign/films/video.test.ts',
  'tests/campaign/kills/objects.test.ts',
  'tests/contract/messages-tools.test.ts',
  'tests/transcription/faults.test.ts',
  'tests/campaign/films/sandbox.test.ts',
  'tests/campaign/voice/page.test.ts',
  'tests/campaign/films/edges.test.ts',
  'tests/campaign/voice/end-of-turn.test.ts',
  'tests/campaign/voice/hosts-webrtc.test.ts',
  'tests/campaign/installation/cli-embedded.test.ts',
  'tests/campaign/recordings/hostile-opened.test.ts',
  'tests/campaign/cost/picture-bombs.test.ts',
  'tests/campaign/kills/orders.test.ts',
  'tests/campaign/films/late.test.ts',
  'tests/campaign/kills/database.test.ts',
  'tests/campaign/kills/stored.test.ts',
  'tests/cli/journey.test.ts',
  'tests/tools/fetch.test.ts',
  'tests/campaign/films/video-probe.test.ts',
  'tests/campaign/recordings/recordings.test.ts',
  'tests/db/roles.test.ts',
  'tests/contract/studio-image.test.ts',
  'tests/campaign/jail/files.test.ts',
  'tests/campaign/dedicated/functions.test.ts',
  'tests/campaign/dedicated/attacks.test.ts',
  'tests/campaign/kills/random-kills.test.ts',
  'tests/crash/kill.test.ts',
  'tests/campaign/kills/transcripts.test.ts',
  'tests/db/upgrade.test.ts',
  'tests/cli/set.test.ts',
  'tests/campaign/kills/heartbeat.test.ts',
  'tests/campaign/films/hostile-svg.test.ts',
  'tests/campaign/simulator/conformance.test.ts',
  'tests/campaign/recordings/decode.test.ts',
  'tests/campaign/dedicated/limits.test.ts',
  'tests/campaign/installation/start.test.ts',
  'tests/campaign/recordings/studio-recordings.test.ts',
  'tests/transcription/transcript.test.ts',
  'tests/campaign/kills/drain.test.ts',
  'tests/campaign/installation/embedded.test.ts',
  'tests/campaign/recordings/transcription-four-hours.test.ts',
  'tests/campaign/dedicated/example.test.ts',
  'tests/campaign/dedicated/cloud-sql.test.ts',
  'tests/campaign/kills/sites.test.ts',
  'tests/campaign/installation/workers.test.ts',
  'tests/campaign/films/openrouter-videos.test.ts',
  'tests/campaign/films/studio-video.test.ts',
  'tests/campaign/cost/references-memory.test.ts',
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
