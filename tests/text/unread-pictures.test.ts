/** Pictures that no upstream of texts reads are refused by their name on every wire, before anything is held. */
import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { Client, Seen } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'

const canvas = sharp({ create: { width: 8, height: 4, channels: 3, background: '#ff0000' } })
const avif = await canvas.clone().avif({ effort: 0 }).toBuffer()
const gif = await canvas.clone().gif().toBuffer()
const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), Buffer.alloc(64)])

const wires: Record<string, (key: Client, type: string, data: string) => Promise<Seen>> = {
  chat: (key, type, data) =>
    key.chat({
      model: 'sandbox/omni',
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }],
        },
      ],
    }),
  messages: (key, type, data) =>
    key.post(
      '/v1/messages',
      {
        model: 'sandbox/omni',
        max_tokens: 20,
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: type, data } }] },
        ],
      },
      { 'anthropic-version': '2023-06-01' },
    ),
  responses: (key, type, data) =>
    key.post('/v1/responses', {
      model: 'sandbox/omni',
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: `data:${type};base64,${data}` }] }],
    }),
}

test.each(Object.keys(wires))(
  '%s refuses AVIF and HEIC by their names, for free, and takes a GIF of one frame',
  async (name) => {
    await using world = await sharedWorld()
    const key = await world.key()
    const send = wires[name]!
    const before = await world.balance()
    for (const [bytes, found] of [
      [avif, 'image/avif'],
      [heic, 'image/heic'],
    ] as const)
      for (const type of [found, 'image/jpeg']) {
        const { status, text, headers } = await send(key, type, bytes.toString('base64'))
        expect([status, headers.get('x-microcredits')], text).toEqual([400, null])
        expect(text).toContain(found)
        for (const taken of ['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
          expect(text).toContain(taken)
      }
    expect(await world.balance()).toEqual(before)
    const reply = await send(key, 'image/gif', gif.toString('base64'))
    expect(reply.status, reply.text).toBe(200)
  },
)
