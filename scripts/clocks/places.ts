/**
 * Where leases are kept, renewed, swept or waited for: there the clocks of `#platform/clock` and `platform.now()` are the only ones
 * (docs/decisions/tests/suites.md).
 */
export interface LeasePlace {
  /** A file, or a folder with all that is in it. */
  place: string
  keeps: string
}

export const leasePlaces: readonly LeasePlace[] = [
  { place: 'src/run.ts', keeps: 'the end of a stop that hangs' },
  { place: 'src/server.ts', keeps: 'the time of a stop' },
  { place: 'src/platform/allowance/', keeps: 'the sweep of portions that nobody uses' },
  { place: 'src/platform/auth/sessions.ts', keeps: 'the check of connections, whatever was announced' },
  { place: 'src/platform/jobs/', keeps: 'claims of jobs, which hang on the life of their process' },
  { place: 'src/platform/ledger/commit.ts', keeps: 'the time of a stop of the ledger' },
  { place: 'src/platform/ledger/store.ts', keeps: 'the sweep of holds of dead processes' },
  { place: 'src/platform/processes/', keeps: 'heartbeats, and who counts as dead' },
  { place: 'src/platform/spool/sweep.ts', keeps: 'heartbeats of folders, and the sweep after them' },
  { place: 'src/platform/storage/pending-blobs.ts', keeps: 'the renewal of bytes that are being written' },
  { place: 'src/cloud/buckets/upload-lease.ts', keeps: 'the lease of an upload' },
  { place: 'src/cloud/buckets/upload-store.ts', keeps: 'the lease of an upload' },
  { place: 'src/cloud/buckets/uploads.ts', keeps: 'the lease of an upload' },
  { place: 'src/cloud/databases/local/provider.ts', keeps: 'the sweep of databases of dead processes' },
  { place: 'src/core/files/creation-store.ts', keeps: 'room that dead processes had reserved' },
  { place: 'src/voice/realtime/keep/transcript-store.ts', keeps: 'sound that a dead process recorded' },
  { place: 'src/voice/realtime/process-store.ts', keeps: 'which processes take calls' },
  { place: 'src/voice/realtime/registered-call.ts', keeps: 'how long the end of a call may take' },
  {
    place: 'src/voice/realtime/registry.ts',
    keeps: 'the silence of the database over calls, and their stop',
  },
  { place: 'src/voice/realtime/store.ts', keeps: 'calls of dead processes' },
  { place: 'src/media/video/', keeps: 'who orders a video and who looks at it' },
  { place: 'src/account/files/tidy.ts', keeps: 'the sweep of a data folder' },
  { place: 'src/account/webhooks/delivery/store.ts', keeps: 'which process sends to a connection' },
  { place: 'src/work/runs/watch.ts', keeps: 'the watch over runs that another process took over' },
  { place: 'src/work/talk/message-store.ts', keeps: 'the sweep of answers whose process died' },
]

export interface ClockException {
  file: string
  /** As it is called. */
  clock: string
  reason: string
}

export const clockExceptions: readonly ClockException[] = [
  {
    file: 'src/platform/jobs/lane.ts',
    clock: 'performance.now',
    reason: 'the duration of a job for its metric, which measures from such a moment',
  },
  {
    file: 'cli/doctor/store.ts',
    clock: 'now()',
    reason: 'also reads databases of earlier releases, which have no platform.now()',
  },
  {
    file: 'cli/doctor/store.ts',
    clock: 'clock_timestamp()',
    reason: 'compares the clock of the database with that of this machine',
  },
]
