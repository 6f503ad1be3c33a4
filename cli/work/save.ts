import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { CommandRefused } from '../command.ts'
import { requestReply, type Server } from '../server.ts'
import { workPhrases as words } from './phrases.ts'

/** Writes every file of the run below `folder`; returns their paths. */
export async function saveFiles(
  server: Server,
  run: { id: string; files: readonly { path: string }[] },
  folder: string,
): Promise<string[]> {
  const saved: string[] = []
  for (const file of run.files) {
    const place = path.resolve(folder, file.path)
    // The server's file contents are trusted, but not its paths.
    if (!place.startsWith(path.resolve(folder) + path.sep))
      throw new CommandRefused('BAD_PATH', words.badPath(file.path), 1)
    const reply = await requestReply(
      server,
      'GET',
      `/v1/work/${run.id}/files?path=${encodeURIComponent(file.path)}`,
    )
    const bytes = Buffer.from(await reply.arrayBuffer())
    try {
      await mkdir(path.dirname(place), { recursive: true })
      await writeFile(place, bytes)
    } catch (error) {
      throw new CommandRefused('NOT_SAVED', words.notSaved(place, (error as Error).message), 1)
    }
    saved.push(place)
  }
  return saved
}
