/** PDFs, texts and pictures as `file` parts of a chat and of a response, through upstreams of all three wires and in the sandbox. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { png } from '../clients/media-samples.ts'
import { expectRefusal } from '../contract/refusal.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { pdf } from '../media/media-world.ts'
import { explained, requestIdOf } from './chat-world.ts'
import { message, user } from './messages-world.ts'
import { type ResponsesWorld, respond, shareOnWires } from './responses-world.ts'
import { says } from './scripted-answer.ts'

const wires = ['chat', 'responses', 'messages'] as const
type Json = Record<string, unknown>

const three = pdf(3)
const inline = (base64: string) => `data:application/pdf;base64,${base64}`
const file = (more: Json = {}) => ({
  type: 'file',
  file: { file_data: inline(three), filename: 'گزارش.pdf', ...more },
})
const asked = (part: Json = file()) => ({ messages: [user([{ type: 'text', text: 'what is this?' }, part])] })

describe.each(wires)('over an upstream of %s', (wire) => {
  let at: ResponsesWorld
  beforeAll(async () => {
    at = await shareOnWires(wire, { credits: 10_000 })
    at.upstream.reply((call) => says(wire, { text: 'ok' }, call))
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test.each([false, true])(
    'a PDF is a document of that wire, by its name and its very bytes (streamed: %s)',
    async (stream) => {
      const first = at.upstream.calls.length
      const reply = await at.key.chat({ ...asked(), stream })
      expect(reply.status, reply.text).toBe(200)
      const body = (await at.upstream.call(first)).body as Json
      const sentText = JSON.stringify(body)
      expect(sentText).toContain(three)
      expect(sentText).toContain('گزارش')
      const sent = {
        chat: { messages: asked().messages },
        responses: {
          input: [
            {
              role: 'user',
              content: expect.arrayContaining([
                { type: 'input_file', filename: 'گزارش.pdf', file_data: inline(three) },
              ]),
            },
          ],
        },
        messages: {
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'what is this?' },
                {
                  type: 'document',
                  title: 'گزارش.pdf',
                  source: { type: 'base64', media_type: 'application/pdf', data: three },
                },
              ],
            },
          ],
        },
      }
      expect(body).toMatchObject(sent[wire])
    },
  )

  const note = 'یادداشت: ساعت ۵، "نشست" 😀\n'
  const noteFile = {
    file_data: `data:text/plain;charset=utf-8;base64,${Buffer.from(note).toString('base64')}`,
    filename: 'یادداشت.txt',
  }
  const picture = { file_data: `data:image/png;base64,${png}`, filename: 'a.png' }
  const words = (text: string) => ({ type: wire === 'responses' ? 'input_text' : 'text', text })
  const asWires = {
    chat: [
      words(noteFile.filename),
      words(note),
      { type: 'image_url', image_url: { url: picture.file_data } },
    ],
    responses: [
      words(noteFile.filename),
      words(note),
      expect.objectContaining({ type: 'input_image', image_url: picture.file_data }),
    ],
    messages: [
      {
        type: 'document',
        title: noteFile.filename,
        source: { type: 'text', media_type: 'text/plain', data: note },
      },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
    ],
  }

  test('a text is its words and a picture a picture, as that wire has them', async () => {
    const first = at.upstream.calls.length
    const files = [noteFile, picture]
    const parts = files.map((one) => ({ type: 'file', file: one }))
    const chat = await at.key.chat({ messages: [user([{ type: 'text', text: 'what?' }, ...parts])] })
    expect(chat.status, chat.text).toBe(200)
    const inputs = files.map((one) => ({ type: 'input_file', ...one }))
    const content = [{ type: 'input_text', text: 'what?' }, ...inputs]
    const response = await respond(at.key, { input: [{ role: 'user', content }] })
    expect(response.status, response.text).toBe(200)
    const [ofChat, ofResponse] = at.upstream.calls.slice(first).map(({ body }) => {
      const [asked] = (body!['messages'] ?? body!['input']) as { content: unknown[] }[]
      return asked?.content.slice(1)
    })
    expect(ofChat).toEqual(asWires[wire])
    // On its own wire a text goes on as the caller wrote it.
    expect(ofResponse).toEqual(wire === 'responses' ? [inputs[0], asWires[wire][2]] : asWires[wire])
  })

  test('of a type that its sender does not know, the bytes decide what a file is', async () => {
    const first = at.upstream.calls.length
    const unknown = (url: string) => url.replace(/^data:[^,]*;base64/, 'data:application/octet-stream;base64')
    const files = [noteFile, picture].map((one) => ({ ...one, file_data: unknown(one.file_data) }))
    const parts = files.map((one) => ({ type: 'file', file: one }))
    const chat = await at.key.chat({ messages: [user([{ type: 'text', text: 'what?' }, ...parts])] })
    expect(chat.status, chat.text).toBe(200)
    const inputs = files.map((one) => ({ type: 'input_file', ...one }))
    const content = [{ type: 'input_text', text: 'what?' }, ...inputs]
    const response = await respond(at.key, { input: [{ role: 'user', content }] })
    expect(response.status, response.text).toBe(200)
    const [ofChat, ofResponse] = at.upstream.calls.slice(first).map(({ body }) => {
      const [asked] = (body!['messages'] ?? body!['input']) as { content: unknown[] }[]
      return asked?.content.slice(1)
    })
    expect(ofChat).toEqual(asWires[wire])
    const text = { ...inputs[0], file_data: noteFile.file_data.replace(';charset=utf-8', '') }
    expect(ofResponse).toEqual(wire === 'responses' ? [text, asWires[wire][2]] : asWires[wire])
  })

  test('its pages are part of the hold', async () => {
    const reserved = async (pages: number) => {
      const reply = await at.key.chat({ ...asked(file({ file_data: inline(pdf(pages)) })), max_tokens: 100 })
      await at.world.settled()
      return BigInt((await explained(at.key, requestIdOf(reply))).reserved_microcredits)
    }
    expect((await reserved(4)) - (await reserved(1))).toBeGreaterThan(3n * 4_000n * 1_000n)
  })
})

describe('in the sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await sharedWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('a document is taken on every wire, and the answer says what was read of it and no more', async () => {
    const key = await world.key()
    const model = 'sandbox/omni'
    const chat = await key.chat({ model, ...asked() })
    expect(chat.body.choices[0].message.content).toContain('“گزارش.pdf”: a PDF of 3 pages')
    const document = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: three },
    }
    const reply = await message(key, {
      model,
      messages: [user([document, { type: 'text', text: 'این چیست؟' }])],
    })
    expect(reply.body.content[0].text).toContain('PDF با ۳ صفحه')
    const content = [
      { type: 'input_file', file_data: inline(three), filename: 'b.pdf' },
      { type: 'input_text', text: 'what is this?' },
    ]
    const response = await respond(key, { model, input: [{ role: 'user', content }] })
    expect(response.body.output_text).toContain('“b.pdf”: a PDF of 3 pages')
    const plain = {
      type: 'document',
      title: 'note',
      source: { type: 'text', media_type: 'text/plain', data: 'سلام' },
    }
    const text = await message(key, {
      model: 'sandbox/fast',
      messages: [user([plain, { type: 'text', text: 'what is it?' }])],
    })
    expect(text.body.content[0].text).toContain('“note”: text of 4 characters')
  })

  test('what the bytes of an unknown type are, a refusal names; a PDF needs a model that reads it', async () => {
    const key = await world.key()
    const unknown = (bytes: string | Buffer) =>
      file({ file_data: `data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}` })
    const ask = (part: Json, model = 'sandbox/omni') => key.chat({ model, ...asked(part) })
    expect((await ask(file({ file_data: `data:application/octet-stream;base64,${three}` }))).text).toContain(
      'a PDF of 3 pages',
    )
    expectRefusal(await ask(unknown('%PDF-1.7'), 'sandbox/fast'), {
      status: 400,
      code: 'INPUT_MODALITY_NOT_SUPPORTED',
      param: 'messages.0.content.1',
    })
    expect((await ask(unknown('سلام'), 'sandbox/fast')).status).toBe(200)
    const at = { status: 400, code: 'INVALID_MEDIA', param: 'messages.0.content.1.file.file_data' }
    for (const [bytes, found] of [
      ['fLaC and more', 'audio/flac'],
      ['\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'image/heic'],
      ['a\0b', 'application/pdf, text/plain'],
    ] as const) {
      const refused = await ask(unknown(bytes))
      expectRefusal(refused, at)
      expect(refused.text).toContain(found)
    }
  })

  test('models that take no documents say so, and the list tells which do', async () => {
    const key = await world.key()
    expectRefusal(await key.chat({ model: 'sandbox/fast', ...asked() }), {
      status: 400,
      code: 'INPUT_MODALITY_NOT_SUPPORTED',
      param: 'messages.0.content.1',
    })
    const picture = file({ file_data: `data:image/png;base64,${png}`, filename: 'a.png' })
    expectRefusal(await key.chat({ model: 'sandbox/fast', ...asked(picture) }), {
      status: 400,
      code: 'INPUT_MODALITY_NOT_SUPPORTED',
      param: 'messages.0.content.1',
    })
    const omni = await key.get('/v1/models/sandbox/omni')
    expect(omni.body.input_modalities).toContain('file')
  })

  test('what is no PDF, text or picture inside is refused before anything is held: by id, empty, of another type, broken, too long, or not the user’s', async () => {
    const key = await world.key()
    const refused = async (part: Json, param: string) =>
      expectRefusal(await key.chat({ model: 'sandbox/omni', ...asked(part) }), {
        status: 400,
        code: 'INVALID_MEDIA',
        param: `messages.0.content.1.file.${param}`,
      })
    await world.settled()
    const before = await world.balance()
    await refused({ type: 'file', file: { file_id: 'file-1' } }, 'file_id')
    await refused(file({ file_id: 'file-1' }), 'file_id')
    await refused({ type: 'file', file: { filename: 'a.pdf' } }, 'file_data')
    for (const data of [
      three,
      `data:text/plain;base64,${three}`,
      inline('AAAA'),
      inline('!!'),
      inline(Buffer.from('%PDF-1.7 broken').toString('base64')),
      'https://example.org/a.pdf',
      `data:text/plain;base64,${Buffer.from([0xc8, 0xe1, 0x81]).toString('base64')}`,
      `data:text/plain;base64,${Buffer.from('a\0b').toString('base64')}`,
      'data:text/plain;base64,',
      `data:image/png;base64,${three}`,
      `data:application/zip;base64,${Buffer.from('PK').toString('base64')}`,
      inline(Buffer.alloc(2_100_003, '%PDF-1.7\n').toString('base64')),
    ])
      await refused(file({ file_data: data }), 'file_data')
    expectRefusal(
      await key.chat({ model: 'sandbox/omni', messages: [{ role: 'assistant', content: [file()] }] }),
      {
        status: 400,
        code: 'INVALID_REQUEST',
        param: 'messages.0.content.0',
      },
    )
    await world.settled()
    expect(await world.balance()).toEqual(before)
  })
})
