/** The memory that an upload costs a server, measured from outside its process. */
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { openForm } from '../../harness/form.ts'
import { cloneDatabase } from '../../harness/postgres.ts'
import { startProcess } from '../../harness/processes.ts'

const mebibyte = 1024 * 1024
const secret = `khr_${'upload'.repeat(8)}`

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1024
}

test.runIf(process.platform === 'linux')(
  '200 MB that are uploaded and read back are never in the memory of the server',
  async () => {
    await using database = await cloneDatabase()
    await using server = await startProcess({ databaseUrl: database.url, bootstrapKey: secret })
    const pid = server.child.pid!
    const piece = Buffer.alloc(mebibyte, 'یک,دو\n')
    let max = 0
    const look = async () => {
      max = Math.max(max, await residentBytes(pid))
    }
    const upload = async (pieces: number): Promise<string> => {
      const { around, headers } = openForm({ name: 'large.csv' })
      async function* body() {
        yield around[0]
        for (let sent = 0; sent < pieces; sent += 1) {
          yield piece
          await look()
        }
        yield around[1]
      }
      const reply = await request(`${server.url}/v1/files`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${secret}` },
        body: Readable.from(body()),
        headersTimeout: 0,
      })
      const { id } = (await reply.body.json()) as { id: string }
      expect(reply.statusCode).toBe(201)
      await look()
      return id
    }
    // What every first request loads is no part of what a large one costs.
    await upload(64)
    const before = await residentBytes(pid)
    max = 0
    const id = await upload(200)
    const { body } = await request(`${server.url}/v1/files/${id}`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    let bytes = 0
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length
      if (bytes % (8 * mebibyte) < 65_536) await look()
    }
    expect(bytes).toBe(200 * mebibyte)
    // Buffers that wait for the garbage collector: 30 to 70 MB where this was written, whatever the size of the file.
    expect((max - before) / mebibyte).toBeLessThan(120)
  },
  300_000,
)
