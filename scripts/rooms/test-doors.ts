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
  { name: 'slices', reason: 'composes the app of a simulated process as the server does' },
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
    files: ['cloud/cloud-routes/app/rest/collection-query.ts'],
    reason: 'measures the worst of what a query may be',
  },
  {
    place: 'bench/data.ts',
    files: ['work/pipelines/data/compute.ts'],
    reason: 'measures the computation without its process',
  },
  {
    place: 'bench/databases.ts',
    files: [
      'cloud/databases/local/layout.ts',
      'cloud/databases/local/make.ts',
      'cloud/databases/local/processes.ts',
      'cloud/databases/local/wake.ts',
    ],
    reason: 'measures making and waking without a platform around them',
  },
  {
    place: 'src/platform/jobs/judging.test.ts',
    files: ['platform/ledger/store.ts'],
    reason: 'the sweep of holds as a process asks for it that knows of an older heartbeat of its own',
  },
  {
    place: 'tests/account/people/own-data.test.ts',
    files: ['account/webhooks/delivery/store.ts'],
    reason: 'releases a webhook as a process does that was delivering when the deletion was asked for',
  },
  {
    place: 'tests/work/research/makers.ts',
    files: ['work/pipelines/code/check.ts', 'work/pipelines/data/computed.ts'],
    reason: 'what confined processes do, without processes: pipelines run hundreds of times',
  },
  {
    place: 'tests/campaign/cost/',
    files: [
      'work/documents/chart/clean-svg.ts',
      'work/documents/pdf/glyphs.ts',
      'core/inference/citations.ts',
      'core/media/svg/right-to-left.ts',
      'work/pipelines/addresses.ts',
      'work/pipelines/blocks.ts',
      'work/pipelines/code/answer.ts',
      'work/pipelines/cut.ts',
      'work/pipelines/json.ts',
      'work/pipelines/persian.ts',
      'work/pipelines/research/evidence.ts',
      'work/pipelines/research/sentences.ts',
      'core/sound/checksum.ts',
      'core/tools/decode-text.ts',
      'core/tools/excerpt.ts',
      'core/tools/prune-html.ts',
      'media/transcription/heard.ts',
      'media/transcription/join.ts',
      'media/transcription/progress.ts',
      'media/transcription/transcript-file.ts',
      'media/transcription/written.ts',
      'providers/kit/fault.ts',
    ],
    reason: 'measures each reader of untrusted text by itself, for minutes',
  },
  {
    place: 'tests/campaign/cost/idle.test.ts',
    files: [
      'sites/site-routes/serve/blobs.ts',
      'sites/site-routes/serve/open-versions.ts',
      'sites/site-routes/serve/serve.ts',
    ],
    reason: 'a thousand sites in memory, measured without a database',
  },
  {
    place: 'tests/campaign/dedicated/',
    files: [
      'cloud/backups/store.ts',
      'cloud/databases/external/statements.ts',
      'cloud/databases/fresh-pool.ts',
      'cloud/databases/local/base-backup.ts',
      'cloud/databases/local/claims.ts',
      'cloud/databases/local/layout.ts',
      'cloud/databases/local/local.ts',
      'cloud/databases/local/make.ts',
      'cloud/databases/local/manager.ts',
      'cloud/databases/local/remove.ts',
      'cloud/databases/local/restore.ts',
      'cloud/databases/local/wake.ts',
      'cloud/databases/size.ts',
      'cloud/databases/watch/sessions.ts',
      'cloud/tables/catalogue.ts',
      'cloud/tables/session.ts',
    ],
    reason:
      'real databases without a platform around them, opened as their rooms open them, and broken where nobody could by a door',
  },
  {
    place: 'tests/campaign/documents/',
    files: [
      'work/documents/docx/write-docx.ts',
      'work/documents/pdf/write-pdf.ts',
      'work/documents/workbook/write-workbook.ts',
    ],
    reason: 'hundreds of drawn documents, each of which would be a process through the door',
  },
  {
    place: 'tests/campaign/films/video-probe.test.ts',
    files: ['core/media/video-probe/probe.ts'],
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
      'cloud/databases/local/claims.ts',
      'cloud/databases/local/layout.ts',
      'cloud/databases/local/local.ts',
      'cloud/databases/local/make.ts',
      'cloud/databases/local/processes.ts',
      'cloud/databases/local/remove.ts',
      'cloud/databases/local/wake.ts',
      'cloud/databases/size.ts',
    ],
    reason:
      'the tests of this room that need a jail and a PostgreSQL: they stand where the suites run them by what they cost',
  },
  {
    place: 'tests/campaign/kills/knowledge-vectors-crash.test.ts',
    files: ['work/knowledge/embed/pgvector.ts'],
    reason: 'asks whether the database was searched, which no answer says',
  },
  {
    place: 'tests/campaign/recordings/',
    files: [
      'core/sound/bits.ts',
      'core/sound/checksum.ts',
      'core/sound/container/unpack.ts',
      'core/sound/ogg.ts',
    ],
    reason: 'hostile files are written with the parts of the writers',
  },
  {
    place: 'tests/campaign/voice/',
    files: ['voice/realtime/turns/turn-listener.ts', 'voice/realtime/turns/turn-taking.ts'],
    reason: 'turns and speech counted in frames, where a call would measure its own delays',
  },
  {
    place: 'tests/cloud/app/area-server.ts',
    files: [
      'cloud/cloud-routes/app/area.ts',
      'cloud/cloud-routes/app/cloud-handler.ts',
      'cloud/cloud-routes/app/functions/functions.ts',
      'cloud/cloud-routes/app/realtime/realtime.ts',
    ],
    reason: 'serves areas of a test at the address of a cloud',
  },
  {
    place: 'tests/cloud/collections/sql.test.ts',
    files: ['cloud/cloud-routes/app/rest/collection-query.ts'],
    reason: 'a thousand drawn queries of one request each, as SQL that is compared',
  },
  {
    place: 'tests/cloud/databases/',
    files: [
      'cloud/databases/local/claims.ts',
      'cloud/databases/local/make.ts',
      'cloud/databases/local/wake.ts',
    ],
    reason:
      'the tests of this room that need a jail and a PostgreSQL: they stand where the suites run them by what they cost',
  },
  {
    place: 'tests/cloud/dedicated/',
    files: [
      'cloud/databases/local/claims.ts',
      'cloud/databases/local/layout.ts',
      'cloud/databases/local/local.ts',
      'cloud/databases/local/program.ts',
      'cloud/databases/local/restore.ts',
      'cloud/databases/local/run.ts',
      'cloud/databases/local/wake.ts',
    ],
    reason:
      'real databases without a platform around them, opened as the rooms open them, and broken where nobody could by a door',
  },
  {
    place: 'tests/cloud/supabase-js/answers.ts',
    files: ['cloud/cloud-routes/app/rest/refusals.ts'],
    reason: 'the published table quotes the sentences',
  },
  {
    place: 'tests/contract/every-route/',
    files: ['platform/http/validate.ts'],
    reason: 'a replayed answer is held against the schema of its route, as the server does',
  },
  {
    place: 'tests/contract/faults/world.ts',
    files: ['core/media/video-probe/probe.ts', 'core/media/video-probe/source.ts'],
    reason: 'a hundred videos, each of which would be a process through the door',
  },
  {
    place: 'tests/harness/end-databases.ts',
    files: [
      'cloud/databases/local/layout.ts',
      'cloud/databases/local/processes.ts',
      'cloud/databases/local/wake.ts',
    ],
    reason: 'finds and kills servers of databases that outlive what started them',
  },
  {
    place: 'tests/voice/',
    files: ['voice/realtime/conversation.ts', 'voice/realtime/speak/speaker.ts'],
    reason: 'turns and speech counted in frames, where a call would measure its own delays',
  },
  {
    place: 'tests/platform/webrtc/lean-peer.ts',
    files: [
      'platform/webrtc/certificate.ts',
      'platform/webrtc/rtp.ts',
      'platform/webrtc/srtp.ts',
      'platform/webrtc/werift.ts',
    ],
    reason: 'a client that costs next to nothing, for floods: it needs the codec of the server',
  },
  {
    place: 'tests/platform/webrtc/fuzz/',
    files: [
      'platform/webrtc/bytes-reader.ts',
      'platform/webrtc/certificate.ts',
      'platform/webrtc/data-channel.ts',
      'platform/webrtc/dtls-handshake.ts',
      'platform/webrtc/dtls-keys.ts',
      'platform/webrtc/dtls-records.ts',
      'platform/webrtc/media.ts',
      'platform/webrtc/rtp.ts',
      'platform/webrtc/srtp.ts',
      'platform/webrtc/stun.ts',
      'platform/webrtc/tcp-frames.ts',
      'platform/webrtc/werift.ts',
    ],
    reason:
      'a hostile client with the keys of its connection needs the codec of the server, and readers of untrusted bytes are fuzzed by themselves',
  },
  {
    place: 'tests/work/talk/',
    files: ['work/talk/index-words.ts', 'work/talk/message-store.ts', 'work/talk/path.ts'],
    reason: 'conversations of any shape and size without a model that answers',
  },
]
