/** What the tests of knowledge share. */
import { strToU8, type Zippable, zipSync } from 'fflate'
import type { Client, Seen } from '../harness/client.ts'
import { until } from '../harness/until.ts'

export const path = '/v1/knowledge'
export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

export const create = async (key: Client, body: Record<string, unknown> = {}): Promise<string> =>
  (await key.post(path, { name: 'دانش', ...body })).body.id

export const add = (key: Client, id: string, body: unknown, headers = {}): Promise<Seen> =>
  key.post(`${path}/${id}/sources`, body, headers)

export const remove = (key: Client, rest: string): Promise<Seen> => key.request('DELETE', `${path}/${rest}`)

/** The source, once it is read. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export const read = (key: Client, id: string, sourceId: string): Promise<any> =>
  until(async () => {
    const { status, body } = await key.get(`${path}/${id}/sources/${sourceId}`)
    return status >= 500 || body.state === 'queued' ? undefined : body
  })

/** Adds a source and waits until it is read. */
export async function added(key: Client, id: string, body: unknown) {
  const made = await add(key, id, body)
  if (made.status !== 201) throw new Error(made.text)
  return read(key, id, made.body.id)
}

export const find = (key: Client, id: string, query: string, limit?: number): Promise<Seen> =>
  key.post(`${path}/${id}/search`, { query, ...(limit !== undefined && { limit }) })

export const textsFound = async (key: Client, id: string, query: string): Promise<string[]> =>
  (await find(key, id, query)).body.data.map(({ text }: { text: string }) => text)

/** A Word file of these parts; `document` is what stands in the body. */
export function docxOf(document: string, more: Zippable = {}): Buffer {
  const body = `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${document}</w:body></w:document>`
  return Buffer.from(
    zipSync({ '[Content_Types].xml': strToU8('<Types/>'), 'word/document.xml': strToU8(body), ...more }),
  )
}

export const paragraph = (text: string, style?: string): string =>
  `<w:p>${style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : ''}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
