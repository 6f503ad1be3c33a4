/** A request whose answer may take longer to begin than the 300 s for which `fetch` waits. */
import { request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import type { Seen } from './client.ts'

export async function postUntimed(
  url: string,
  body: string | Uint8Array,
  headers: Record<string, string>,
): Promise<Seen> {
  const bytes = Buffer.from(body)
  const { promise, resolve, reject } = Promise.withResolvers<Seen>()
  const sent = request(url, { method: 'POST', headers: { ...headers, 'content-length': bytes.length } })
  sent.on('error', reject)
  sent.on('response', (response) => {
    const read = async (): Promise<Seen> => {
      const text = await textOf(response)
      const isJson = response.headers['content-type']?.startsWith('application/json')
      const fields = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
      return {
        status: response.statusCode!,
        headers: new Headers(fields as [string, string][]),
        text,
        body: isJson ? JSON.parse(text) : undefined,
      }
    }
    read().then(resolve, reject)
  })
  sent.end(bytes)
  return promise
}
