/** The room that reads recordings, with a spool of its own that ends with the test file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import { type FfmpegSetting, openRecordings, type Recordings } from '#core/sound'
import { openLog } from '#platform/log'
import { openSpool } from '#platform/spool'

/** Where ffmpeg is looked for, as a server does. */
export const ffmpegOfPath: FfmpegSetting = {
  places: (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'ffmpeg')),
}

export const requester = { accountId: 'somebody', signal: new AbortController().signal }

export async function recordingsRoom(setting = ffmpegOfPath, maxBytes = 1 << 30): Promise<Recordings> {
  const folder = mkdtempSync(path.join(tmpdir(), 'recordings-'))
  const spool = await openSpool({ folder, maxBytes })
  afterAll(async () => {
    await spool[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })
  return openRecordings({ log: openLog('silent'), spool, setting })
}
