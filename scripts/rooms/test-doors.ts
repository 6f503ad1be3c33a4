import type { Room } from './rooms.ts'

/** A file directly in `src`, which is no room and has no door, that tests may import, with the reason. One that none imports is refused. */
export interface Entry {
  name: Room
  reason: string
}

export const testEntries: readonly Entry[] = [
  { name: 'server', reason: 'starts a whole server in the process of a test' },
  { name: 'main', reason: 'starts a server as its own process, with what a test adds to it' },
  { name: 'functions-host', reason: 'starts a host of functions' },
  { name: 'capabilities', reason: 'the list of all routes, which tests ask one by one' },
  { name: 'metrics', reason: 'the series of all rooms, which a room alone in a test writes to' },
  {
    name: 'open-app',
    reason: 'the shared server of tests takes its catalogue and its inference from the harness',
  },
  { name: 'connect', reason: 'connects the providers of a configuration, as a server does' },
]

/**
 * Where tests import what is behind the door of a room all the same, file by file, with the reason. A file that nobody there imports is
 * refused. Before an entry is added: a test of pure logic stands beside its file in `src`, and much can be asked through the door.
 */
export interface DoorException {
  /** The test, or a folder with a slash at its end. */
  place: string
  /** From `src`. */
  files: readonly string[]
  reason: string
}

export const doorExceptions: readonly DoorException[] = [
  {
    place: 'bench/clouds/rows.ts',
    files: ['capabilities/cloud/app/rest/collection-query.ts'],
    reason: 'measures the worst of what a query may be',
  },
  {
    place: 'bench/data.ts',
    files: ['engine/pipelines/data/compute.ts'],
    reason: 'measures the computation without its process',
  },
  {
    place: 'bench/databases.ts',
    files: [
      'engine/databases/local/layout.ts',
      'engine/databases/local/make.ts',
      'engine/databases/local/processes.ts',
      'engine/databases/local/wake.ts',
    ],
    reason: 'measures making and waking without a platform around them',
  },
  {
    place: 'src/platform/jobs/judging.test.ts',
    files: ['platform/ledger/store.ts'],
    reason: 'the sweep of holds as a process asks for it that knows of an older heartbeat of its own',
  },
  {
    place: 'tests/agent/makers.ts',
    files: ['engine/pipelines/code/check.ts', 'engine/pipelines/data/computed.ts'],
    reason: 'what confined processes do, without processes: pipelines run hundreds of times',
  },
  {
    place: 'tests/campaign/cost/',
    files: [
      'engine/documents/chart/clean-svg.ts',
      'engine/documents/pdf/glyphs.ts',
      'engine/inference/citations.ts',
      'engine/media/svg/right-to-left.ts',
      'engine/pipelines/addresses.ts',
      'engine/pipelines/blocks.ts',
      'engine/pipelines/code/answer.ts',
      'engine/pipelines/cut.ts',
      'engine/pipelines/json.ts',
      'engine/pipelines/persian.ts',
      'engine/pipelines/research/evidence.ts',
      'engine/pipelines/research/sentences.ts',
      'engine/sound/checksum.ts',
      'engine/tools/decode-text.ts',
      'engine/tools/excerpt.ts',
      'engine/tools/prune-html.ts',
      'engine/transcription/heard.ts',
      'engine/transcription/join.ts',
      'engine/transcription/progress.ts',
      'engine/transcription/transcript-file.ts',
      'engine/transcription/written.ts',
      'providers/kit/fault.ts',
    ],
    reason: 'measures each reader of untrusted text by itself, for minutes',
  },
  {
    place: 'tests/campaign/cost/idle.test.ts',
    files: [
      'capabilities/sites/serve/blobs.ts',
      'capabilities/sites/serve/open-versions.ts',
      'capabilities/sites/serve/serve.ts',
    ],
    reason: 'a thousand sites in memory, measured without a database',
  },
  {
    place: 'tests/campaign/dedicated/',
    files: [
      'engine/database-backups/store.ts',
      'engine/databases/external/statements.ts',
      'engine/databases/fresh-pool.ts',
      'engine/databases/local/base-backup.ts',
      'engine/databases/local/claims.ts',
      'engine/databases/local/layout.ts',
      'engine/databases/local/local.ts',
      'engine/databases/local/make.ts',
      'engine/databases/local/manager.ts',
      'engine/databases/local/remove.ts',
      'engine/databases/local/restore.ts',
      'engine/databases/local/wake.ts',
      'engine/databases/size.ts',
      'engine/databases/watch/sessions.ts',
      'engine/tables/catalogue.ts',
      'engine/tables/session.ts',
    ],
    reason:
      'real databases without a platform around them, opened as their rooms open them, and broken where nobody could by a door',
  },
  {
    place: 'tests/campaign/documents/',
    files: [
      'engine/documents/docx/write-docx.ts',
      'engine/documents/pdf/write-pdf.ts',
      'engine/documents/workbook/write-workbook.ts',
    ],
    reason: 'hundreds of drawn documents, each of which would be a process through the door',
  },
  {
    place: 'tests/campaign/films/video-probe.test.ts',
    files: ['engine/media/video-probe/probe.ts'],
    reason: 'the same file cut at every byte, each of which would be a process through the door',
  },
  {
    place: 'tests/campaign/installation/roles.test.ts',
    files: [
      'platform/postgres/cluster-location.ts',
      'platform/postgres/postmaster.ts',
      'platform/postgres/server-process.ts',
      'platform/postgres/server-user.ts',
      'platform/postgres/socket-folder.ts',
    ],
    reason: 'makes clusters as earlier releases left them',
  },
  {
    place: 'tests/campaign/kills/',
    files: [
      'engine/databases/local/claims.ts',
      'engine/databases/local/layout.ts',
      'engine/databases/local/local.ts',
      'engine/databases/local/make.ts',
      'engine/databases/local/processes.ts',
      'engine/databases/local/remove.ts',
      'engine/databases/local/wake.ts',
      'engine/databases/size.ts',
    ],
    reason:
      'the tests of this room that need a jail and a PostgreSQL: they stand where the suites run them by what they cost',
  },
  {
    place: 'tests/campaign/kills/knowledge-vectors-crash.test.ts',
    files: ['capabilities/knowledge/embed/pgvector.ts'],
    reason: 'asks whether the database was searched, which no answer says',
  },
  {
    place: 'tests/campaign/recordings/',
    files: [
      'engine/sound/bits.ts',
      'engine/sound/checksum.ts',
      'engine/sound/container/unpack.ts',
      'engine/sound/ogg.ts',
    ],
    reason: 'hostile files are written with the parts of the writers',
  },
  {
    place: 'tests/campaign/voice/',
    files: ['engine/realtime/turns/turn-taking.ts'],
    reason: 'turns and speech counted in frames, where a call would measure its own delays',
  },
  {
    place: 'tests/cloud/app/area-server.ts',
    files: [
      'capabilities/cloud/app/area.ts',
      'capabilities/cloud/app/cloud-handler.ts',
      'capabilities/cloud/app/functions/functions.ts',
      'capabilities/cloud/app/realtime/realtime.ts',
    ],
    reason: 'serves areas of a test at the address of a cloud',
  },
  {
    place: 'tests/cloud/collections/sql.test.ts',
    files: ['capabilities/cloud/app/rest/collection-query.ts'],
    reason: 'a thousand drawn queries of one request each, as SQL that is compared',
  },
  {
    place: 'tests/cloud/databases/',
    files: [
      'engine/databases/local/claims.ts',
      'engine/databases/local/make.ts',
      'engine/databases/local/wake.ts',
    ],
    reason:
      'the tests of this room that need a jail and a PostgreSQL: they stand where the suites run them by what they cost',
  },
  {
    place: 'tests/cloud/dedicated/',
    files: [
      'engine/databases/local/claims.ts',
      'engine/databases/local/layout.ts',
      'engine/databases/local/local.ts',
      'engine/databases/local/program.ts',
      'engine/databases/local/restore.ts',
      'engine/databases/local/run.ts',
      'engine/databases/local/wake.ts',
    ],
    reason:
      'real databases without a platform around them, opened as the rooms open them, and broken where nobody could by a door',
  },
  {
    place: 'tests/cloud/supabase-js/answers.ts',
    files: ['capabilities/cloud/app/rest/refusals.ts'],
    reason: 'the published table quotes the sentences',
  },
  {
    place: 'tests/contract/every-route/',
    files: ['platform/http/validate.ts'],
    reason: 'a replayed answer is held against the schema of its route, as the server does',
  },
  {
    place: 'tests/contract/faults/world.ts',
    files: ['engine/media/video-probe/probe.ts', 'engine/media/video-probe/source.ts'],
    reason: 'a hundred videos, each of which would be a process through the door',
  },
  {
    place: 'tests/harness/end-databases.ts',
    files: [
      'engine/databases/local/layout.ts',
      'engine/databases/local/processes.ts',
      'engine/databases/local/wake.ts',
    ],
    reason: 'finds and kills servers of databases that outlive what started them',
  },
  {
    place: 'tests/realtime/',
    files: ['engine/realtime/conversation.ts', 'engine/realtime/speak/speaker.ts'],
    reason: 'turns and speech counted in frames, where a call would measure its own delays',
  },
  {
    place: 'tests/webrtc/lean-peer.ts',
    files: [
      'platform/webrtc/certificate.ts',
      'platform/webrtc/rtp.ts',
      'platform/webrtc/srtp.ts',
      'platform/webrtc/werift.ts',
    ],
    reason: 'a client that costs next to nothing, for floods: it needs the codec of the server',
  },
]
