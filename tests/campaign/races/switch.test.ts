import { Agent, request } from 'node:http'
import { expect, test } from 'vitest'
import { until } from '../../harness/until.ts'
import { boot } from '../../harness/world.ts'
import { publish } from '../../sites/visitor.ts'

/** A page that names its own chunk, each far longer than what one packet carries. */
const filesOf = (version: number): Record<string, string> => {
  const chunk = `assets/app-D7lT8Vq${version}.js`
  const filler = `<!-- ${version} -->\n`.repeat(3_000)
  return {
    'index.html': `begin ${version} <script src="/${chunk}"></script>\n${filler}end ${version}`,
    [chunk]: `begin ${version}\n${filler}end ${version}`,
  }
}

const versions = [1, 2, 3].map(filesOf)

/** The version that the text is of, from its first byte to its last. */
function wholeVersion(text: string, path: string): number {
  const version = versions.findIndex((files) => files[path] === text) + 1
  if (version === 0) throw new Error(`${path} is of no version: ${text.slice(0, 40)} … ${text.slice(-40)}`)
  return version
}

test('a thousand readers at once see only whole versions while the live one is switched, each page with its own chunk', async () => {
  await using world = await boot()
  const key = await world.key()
  const { id, url } = await publish(key, { files: versions[0]! })
  for (const files of versions.slice(1)) await publish(key, { id, files })
  using agent = new ReaderAgent()
  const { port, host } = new URL(url)
  const read = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = request({ agent, port, host: '127.0.0.1', path, headers: { host } }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`${path}: ${response.statusCode} ${text.slice(0, 300)}`))
        })
        response.on('error', reject)
      })
      sent.on('error', (error) => {
        // The server has closed a connection that rested just as it was taken again: every client asks once more (RFC 9112, 9.3.1).
        if (sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET') resolve(read(path))
        else reject(error)
      })
      sent.end()
    })
  const seen = new Set<number>()
  let isSwitching = true
  const reader = async (): Promise<void> => {
    for (let count = 0; isSwitching || count < 2; count++) {
      const page = await read('/')
      const version = wholeVersion(page, 'index.html')
      seen.add(version)
      const chunk = /src="\/([^"]+)"/.exec(page)![1]!
      if (wholeVersion(await read(`/${chunk}`), chunk) !== version)
        throw new Error('a chunk of another version')
    }
  }
  const rollBacks = async (): Promise<void> => {
    try {
      for (const version of [1, 3, 2]) {
        const reply = await key.post(`/v1/sites/${id}/rollback`, { version })
        expect(reply.status, reply.text).toBe(200)
        await until(() => seen.has(version))
      }
    } finally {
      isSwitching = false
    }
  }
  await Promise.all([rollBacks(), ...Array.from({ length: 1_000 }, reader)])
  expect(seen).toEqual(new Set([1, 2, 3]))
})

class ReaderAgent extends Agent implements Disposable {
  constructor() {
    super({ keepAlive: true, maxSockets: 1_000 })
  }
  [Symbol.dispose](): void {
    this.destroy()
  }
}
