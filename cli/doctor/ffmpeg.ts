import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openRecordings } from '#core/sound'
import type { Config } from '#platform/config'
import { openLog } from '#platform/log'
import { openSpool } from '#platform/spool'
import { type DoctorCheck, ok, runCheck, skipped } from './check.ts'
import { machinePhrases as words } from './machine-phrases.ts'

/** Checks whether AAC can be decoded, which iPhones and Safari record; it is no error if it cannot. */
export const checkFfmpeg = ({ ffmpeg }: Config): Promise<DoctorCheck> =>
  runCheck('ffmpeg', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kherad-doctor-'))
    try {
      await using spool = await openSpool({ folder, maxBytes: 1 << 24 })
      const room = openRecordings({ log: openLog('silent'), spool, setting: ffmpeg })
      return (await room.hasFfmpeg()) ? ok('ffmpeg', words.ffmpeg()) : skipped('ffmpeg', words.noFfmpeg())
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
