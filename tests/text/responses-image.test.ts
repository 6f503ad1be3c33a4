import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { json, stream } from '../harness/upstream.ts'
import {
  colourAt,
  fieldOf,
  halves,
  type ImagesWorld,
  picture,
  shareOnImages,
  withPictures,
} from '../media/images-world.ts'
import { imageEventsIn, pictureIn } from './responses-image-oracle.ts'

let at: ImagesWorld
beforeAll(async () => {
  at = await shareOnImages({ credits: 100_000 })
})
afterAll(() => at[Symbol.asyncDispose]())

const lastCall = () => at.upstream.calls.at(-1)!

describe('one picture', () => {
  test('comes as one item in a whole response, just as the upstream drew it', async () => {
    const reply = await picture(at.key)
    expect(reply.status).toBe(200)
    const { response, item, bytes } = pictureIn(reply.body)
    expect(bytes).toEqual(await halves(128, 128))
    expect(response['model']).toBe('test/painter')
    expect(response['id'].slice(5)).toBe(reply.headers.get('x-request-id')!.replaceAll('-', ''))
    expect(item).toMatchObject({
      output_format: 'png',
      size: '128x128',
      quality: 'medium',
      background: 'auto',
      action: 'generate',
    })
    expect(lastCall().body).toEqual({
      model: 'painter-1',
      prompt: 'a cat on a roof',
      n: 1,
      size: '128x128',
      quality: 'medium',
      output_format: 'png',
    })
  })

  test('a model that names no settings is sent none', async () => {
    await picture(at.key, {}, { model: 'test/plain' })
    expect(lastCall().body).toEqual({
      model: 'plain-1',
      prompt: 'a cat on a roof',
      n: 1,
      size: '128x128',
      response_format: 'b64_json',
    })
  })

  test('instructions and all text of the input are the prompt, in their order', async () => {
    const input = [
      { role: 'system', content: 'In oil.' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'گربه' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Which one?' }] },
      { role: 'user', content: 'نارنجی' },
    ]
    const reply = await picture(at.key, {}, { instructions: 'Be bold.', input })
    expect(reply.body.instructions).toBe('Be bold.')
    expect(lastCall().body?.['prompt']).toBe('Be bold.\n\nIn oil.\n\nگربه\n\nWhich one?\n\nنارنجی')
  })

  test('tokens of the upstream stand in usage, and none where it counts none', async () => {
    const data = [{ b64_json: (await halves(128, 128)).toString('base64') }]
    at.upstream.replyOnce(json(200, { data, usage: { input_tokens: 7, output_tokens: 272 } }))
    expect(pictureIn((await picture(at.key)).body).response['usage']).toMatchObject({
      input_tokens: 7,
      output_tokens: 272,
      total_tokens: 279,
    })
    expect(pictureIn((await picture(at.key)).body).response['usage'].total_tokens).toBe(0)
  })

  test('pictures of the input are edited, to the byte', async () => {
    const [first, second] = [await halves(128, 192), await halves(64, 64)]
    const reply = await picture(at.key, {}, { input: withPictures(first, second) })
    const { item } = pictureIn(reply.body)
    expect(item['action']).toBe('edit')
    expect(lastCall().path).toBe('/v1/images/edits')
    expect(lastCall().bytes.includes(first)).toBe(true)
    expect(lastCall().bytes.includes(second)).toBe(true)
  })

  test('a picture of an earlier answer is edited when it is sent back', async () => {
    const { item, bytes } = pictureIn((await picture(at.key)).body)
    const input = [{ role: 'user', content: 'a cat' }, item, { role: 'user', content: 'now blue' }]
    expect(pictureIn((await picture(at.key, {}, { input })).body).item['action']).toBe('edit')
    expect(lastCall().bytes.includes(bytes)).toBe(true)
    const anew = pictureIn((await picture(at.key, { action: 'generate' }, { input })).body)
    expect(anew.item['action']).toBe('generate')
    expect(lastCall().path).toBe('/v1/images/generations')
  })
})

describe('size', () => {
  const rows: [string, Record<string, unknown>, string, string][] = [
    ['nothing said', {}, '128x128', '128x128'],
    ['auto', { size: 'auto', aspect_ratio: 'auto' }, '128x128', '128x128'],
    ['a size of the model', { size: '192x128' }, '192x128', '192x128'],
    ['a smaller size', { size: '96x64' }, '192x128', '96x64'],
    ['a larger size', { size: '1920x1080' }, '192x128', '1920x1080'],
    ['a wider size, cut', { size: '200x100', fit: 'crop' }, '192x128', '200x100'],
    ['a ratio of the model', { aspect_ratio: '2:3' }, '128x192', '128x192'],
    ['a ratio in other terms', { aspect_ratio: '300:200' }, '192x128', '192x128'],
    ['a wider ratio, padded', { aspect_ratio: '2:1' }, '192x128', '256x128'],
    ['a wider ratio, cut', { aspect_ratio: '2:1', fit: 'crop' }, '192x128', '192x96'],
    ['a taller ratio, padded', { aspect_ratio: '1:2' }, '128x192', '128x256'],
    ['size and ratio that agree', { size: '300x200', aspect_ratio: '3:2' }, '192x128', '300x200'],
  ]
  test.each(rows)('%s', async (_, tool, asked, comes) => {
    const { item, bytes } = pictureIn((await picture(at.key, tool)).body)
    expect(fieldOf(lastCall(), 'size')).toBe(asked)
    const { width, height } = await sharp(bytes).metadata()
    expect(`${width}x${height}`).toBe(comes)
    expect(item['size']).toBe(comes)
  })

  test.each([
    ['a ratio', 'یک پوستر ۹:۱۶ از دماوند', '128x192'],
    ['a size', 'a banner, 1920 x 1080, of a cat', '192x128'],
    ['a time of day', 'a clock that shows 10:30', '128x128'],
    ['a score', 'the derby ended 3:1', '128x128'],
  ])('%s in the prompt chooses among the sizes of the model', async (_, input, size) => {
    expect(pictureIn((await picture(at.key, {}, { input })).body).item['size']).toBe(size)
  })

  test('the shape of a picture to edit chooses among them too, and settings go before both', async () => {
    const input = withPictures(await halves(300, 450))
    expect(pictureIn((await picture(at.key, {}, { input })).body).item['size']).toBe('128x192')
    expect(pictureIn((await picture(at.key, { size: '128x128' }, { input })).body).item['size']).toBe(
      '128x128',
    )
  })

  test('a photo that a phone has laid on its side has the shape in which people see it', async () => {
    const photo = async (orientation: number): Promise<string> => {
      const bytes = await sharp(await halves(450, 300))
        .withMetadata({ orientation })
        .jpeg()
        .toBuffer()
      const image_url = `data:image/jpeg;base64,${bytes.toString('base64')}`
      const content = [
        { type: 'input_text', text: 'make it blue' },
        { type: 'input_image', image_url },
      ]
      const { body } = await picture(at.key, {}, { input: [{ role: 'user', content }] })
      return pictureIn(body).item['size']
    }
    expect(await photo(1)).toBe('192x128')
    expect(await photo(3)).toBe('192x128')
    expect(await photo(6)).toBe('128x192')
    expect(await photo(8)).toBe('128x192')
  })

  test('what is pictured is never distorted: padding stands beside it and cropping cuts it', async () => {
    const padded = pictureIn((await picture(at.key, { size: '256x64' })).body).bytes
    // 96 of 256 columns are the picture of 192x128, in the middle.
    const places = [10, 76, 84, 118, 138, 172, 180, 250]
    expect(await Promise.all(places.map((x) => colourAt(padded, x, 32)))).toEqual([
      '#ffffff',
      '#ffffff',
      '#ff0000',
      '#ff0000',
      '#0000ff',
      '#0000ff',
      '#ffffff',
      '#ffffff',
    ])
    const cropped = pictureIn((await picture(at.key, { size: '64x256', fit: 'crop' })).body).bytes
    expect([await colourAt(cropped, 2, 2), await colourAt(cropped, 61, 253)]).toEqual(['#ff0000', '#0000ff'])
  })

  test('an upstream that draws another size than it was asked for is brought to what was wished', async () => {
    const small = json(200, { data: [{ b64_json: (await halves(64, 64)).toString('base64') }] })
    at.upstream.replyOnce(small, small)
    expect(pictureIn((await picture(at.key, { size: '192x128' })).body).item['size']).toBe('192x128')
    expect(pictureIn((await picture(at.key)).body).item['size']).toBe('64x64')
  })
})

describe('format and background', () => {
  test.each([
    ['png', 'png'],
    ['webp', 'webp'],
    ['jpeg', 'png'],
  ])('%s comes as such, of %s where the model does not write it', async (format, asked) => {
    const { item, bytes } = pictureIn((await picture(at.key, { output_format: format })).body)
    expect(fieldOf(lastCall(), 'output_format')).toBe(asked)
    expect((await sharp(bytes).metadata()).format).toBe(format)
    expect(item['output_format']).toBe(format)
  })

  test('a transparent picture is padded with nothing, any other with white', async () => {
    const clear = pictureIn((await picture(at.key, { background: 'transparent', size: '256x128' })).body)
    expect(fieldOf(lastCall(), 'background')).toBe('transparent')
    expect(clear.item['background']).toBe('transparent')
    expect(await colourAt(clear.bytes, 2, 2)).toBe('clear')
    const opaque = pictureIn((await picture(at.key, { background: 'opaque', size: '256x128' })).body)
    expect(await colourAt(opaque.bytes, 2, 2)).toBe('#ffffff')
  })
})

describe('refused before anything is held', () => {
  const tool = (more: Record<string, unknown>) => ({ tools: [{ type: 'image_generation', ...more }] })
  const given = (part: Record<string, unknown>) => ({ input: [{ role: 'user', content: [part] }] })
  const notSupported = 'IMAGE_SETTING_NOT_SUPPORTED'
  const rows: [string, Record<string, unknown>, string, string][] = [
    ['no text', { input: '   ' }, 'INVALID_REQUEST', 'input'],
    ['nothing to read', { input: '\u200c\u200b' }, 'INVALID_REQUEST', 'input'],
    ['long instructions', { instructions: 'x'.repeat(8_001) }, 'INVALID_REQUEST', 'instructions'],
    ['a long prompt', { input: 'x'.repeat(32_001) }, 'INVALID_REQUEST', 'input'],
    ['previous_response_id', { previous_response_id: 'resp_1' }, 'INVALID_REQUEST', 'previous_response_id'],
    ['background work', { background: true }, 'INVALID_REQUEST', 'background'],
    ['store', { store: true }, 'INVALID_REQUEST', 'store'],
    ['web_search', { web_search: true }, 'FEATURE_NOT_SUPPORTED', 'web_search'],
    [
      'a function',
      { tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }] },
      'FEATURE_NOT_SUPPORTED',
      'tools.0.type',
    ],
    [
      'two tools',
      { tools: [{ type: 'image_generation' }, { type: 'image_generation' }] },
      'INVALID_REQUEST',
      'tools',
    ],
    ['partial images', tool({ partial_images: 2 }), 'FEATURE_NOT_SUPPORTED', 'tools.0.partial_images'],
    [
      'a mask',
      tool({ input_image_mask: { image_url: 'x' } }),
      'FEATURE_NOT_SUPPORTED',
      'tools.0.input_image_mask',
    ],
    ['another model', tool({ model: 'test/plain' }), 'INVALID_REQUEST', 'tools.0.model'],
    ['an unknown quality', tool({ quality: 'best' }), 'INVALID_REQUEST', 'tools.0.quality'],
    ['an unknown format', tool({ output_format: 'gif' }), 'INVALID_REQUEST', 'tools.0.output_format'],
    ['a size in words', tool({ size: 'large' }), 'INVALID_REQUEST', 'tools.0.size'],
    ['a size of nothing', tool({ size: '0x100' }), 'INVALID_REQUEST', 'tools.0.size'],
    ['a tiny size', tool({ size: '16x16' }), notSupported, 'tools.0.size'],
    ['a huge size', tool({ size: '4096x4096' }), notSupported, 'tools.0.size'],
    [
      'a long ratio',
      tool({ aspect_ratio: `${'1'.repeat(20)}:1` }),
      'INVALID_REQUEST',
      'tools.0.aspect_ratio',
    ],
    ['a strip', tool({ aspect_ratio: '20:1' }), notSupported, 'tools.0.aspect_ratio'],
    [
      'a conflict',
      tool({ size: '100x100', aspect_ratio: '2:1' }),
      'IMAGE_SIZE_CONFLICT',
      'tools.0.aspect_ratio',
    ],
    ['an unknown fit', tool({ fit: 'stretch' }), 'INVALID_REQUEST', 'tools.0.fit'],
    ['an edit of nothing', tool({ action: 'edit' }), 'NOTHING_TO_EDIT', 'tools.0.action'],
    [
      'transparent JPEG',
      tool({ background: 'transparent', output_format: 'jpeg' }),
      notSupported,
      'tools.0.background',
    ],
    ['a choice of nothing', { tool_choice: 'none' }, 'INVALID_REQUEST', 'tool_choice'],
    [
      'a choice of a function',
      { tool_choice: { type: 'function', name: 'f' } },
      'INVALID_REQUEST',
      'tool_choice.type',
    ],
    ['a film', given({ type: 'input_video', video_url: 'x' }), 'INVALID_REQUEST', 'input.0.content.0.type'],
    ['sound', given({ type: 'input_audio', data: 'x' }), 'INVALID_REQUEST', 'input.0.content.0.type'],
    [
      'a file',
      given({ type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0=' }),
      'INPUT_MODALITY_NOT_SUPPORTED',
      'input.0.content.0',
    ],
    [
      'a link',
      given({ type: 'input_image', image_url: 'https://example.com/a.png' }),
      'INVALID_MEDIA',
      'input.0.content.0.image_url',
    ],
    [
      'a stored picture',
      given({ type: 'input_image', file_id: 'f' }),
      'INVALID_REQUEST',
      'input.0.content.0',
    ],
    [
      'a picture that is none',
      given({ type: 'input_image', image_url: 'data:image/png;base64,aGVsbG8=' }),
      'INVALID_MEDIA',
      'input.0.content.0.image_url',
    ],
    [
      'an earlier picture without its bytes',
      { input: [{ type: 'image_generation_call', id: 'ig_1' }] },
      'INVALID_REQUEST',
      'input.0.result',
    ],
    [
      'an output of a function',
      { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] },
      'FEATURE_NOT_SUPPORTED',
      'input.0.type',
    ],
  ]
  test.each(rows)('%s', async (_, body, code, param) => {
    await at.world.settled()
    const before = await at.world.balance()
    const calls = at.upstream.calls.length
    expectRefusal(await picture(at.key, {}, body), { status: 400, code, param })
    expect(await at.world.balance()).toEqual(before)
    expect(at.upstream.calls.length).toBe(calls)
  })

  test('a size or a ratio that cannot be read is told what it should be, in both languages', async () => {
    const messageIn = async (tool: Record<string, unknown>, language: string): Promise<string> =>
      (await picture(at.key, tool, {}, { 'accept-language': language })).body.error.message
    for (const size of ['1024X1024', '1024*1024', 'large']) {
      expect(await messageIn({ size }, 'en')).toContain(
        'tools.0.size must be auto, or width and height in pixels such as 1024x1024.',
      )
      expect(await messageIn({ size }, 'fa')).toContain('باید auto یا پهنا و بلندا به پیکسل باشد')
    }
    expect(await messageIn({ aspect_ratio: '1.5:1' }, 'en')).toContain(
      'tools.0.aspect_ratio must be auto, or two whole numbers such as 16:9.',
    )
    expect(await messageIn({ aspect_ratio: '1.5:1' }, 'fa')).toContain('باید auto یا دو عدد صحیح باشد')
  })

  test('more pictures than the model takes, or any where it takes none', async () => {
    const one = await halves(64, 64)
    expectRefusal(await picture(at.key, {}, { input: withPictures(one, one, one) }), {
      status: 400,
      code: notSupported,
      param: 'input',
    })
    expectRefusal(await picture(at.key, {}, { model: 'test/plain', input: withPictures(one) }), {
      status: 400,
      code: 'INPUT_MODALITY_NOT_SUPPORTED',
      param: 'input.0.content.1',
    })
  })

  test('settings that a model does not have', async () => {
    for (const [setting, more] of Object.entries({
      quality: { quality: 'low' },
      background: { background: 'transparent' },
    }))
      expectRefusal(await picture(at.key, more, { model: 'test/plain' }), {
        status: 400,
        code: notSupported,
        param: `tools.0.${setting}`,
      })
  })

  test('a key needs studio:write for a picture and responses:write for a text', async () => {
    await at.world.settled()
    const before = await at.world.balance()
    const text = { model: 'sandbox/fast', input: 'hello' }
    const studio = await at.world.key({ scopes: ['studio:write'] })
    const responses = await at.world.key({ scopes: ['responses:write'] })
    const refused = { status: 403, code: 'INSUFFICIENT_SCOPE' }
    const lacking = await picture(responses)
    expectRefusal(lacking, refused)
    expect(lacking.body.error.message).toContain('studio:write')
    const silent = await studio.post('/v1/responses', text)
    expectRefusal(silent, refused)
    expect(silent.body.error.message).toContain('responses:write')
    expectRefusal(await studio.post('/v1/responses', { input: 'hello' }), refused)
    expectRefusal(await picture(await at.world.key({ scopes: ['models:read'] })), refused)
    expect(await at.world.balance()).toEqual(before)
    expect((await picture(studio)).status).toBe(200)
    expect((await responses.post('/v1/responses', text)).status).toBe(200)
    await at.world.settled()
  })

  test('a key that may not use the model is told so, and other routes that it is for pictures', async () => {
    const narrow = await at.world.key({ models: ['sandbox/fast'] })
    expectRefusal(await picture(narrow), { status: 403, code: 'MODEL_NOT_ALLOWED', param: 'model' })
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      const body = { model: 'test/painter', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }
      expectRefusal(await at.key.post(path, body, { 'anthropic-version': '2023-06-01' }), {
        status: 400,
        code: 'MODEL_KIND_MISMATCH',
        param: 'model',
      })
    }
  })
})

describe('as events', () => {
  test('are those of the wire, with the picture in the item and in the response', async () => {
    const reply = await picture(at.key, { size: '96x64' }, { stream: true })
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const { final } = imageEventsIn(reply.text)
    const { width, height } = await sharp(pictureIn(final).bytes).metadata()
    expect([width, height]).toEqual([96, 64])
    await at.world.settled()
  })

  test('the first of them come while the picture is drawn', async () => {
    const release = Promise.withResolvers<void>()
    const script = { data: [{ b64_json: (await halves(128, 128)).toString('base64') }] }
    at.upstream.replyOnce(
      stream([release.promise, JSON.stringify(script)], { 'content-type': 'application/json' }),
    )
    const body = { model: 'test/painter', input: 'a cat', stream: true }
    const response = await at.key.raw('POST', '/v1/responses', JSON.stringify(body))
    let text = ''
    for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
      text += bytes
      if (text.includes('image_generation_call.generating')) release.resolve()
    }
    imageEventsIn(text)
    await at.world.settled()
  })

  test('a failure ends them with its code, and costs nothing', async () => {
    await at.world.settled()
    const before = await at.world.balance()
    at.upstream.replyOnce(json(400, { error: { message: 'no', code: 'moderation_blocked' } }))
    const { final } = imageEventsIn((await picture(at.key, {}, { stream: true })).text)
    expect(final).toMatchObject({ status: 'failed', error: { code: 'CONTENT_REFUSED' } })
    await at.world.settled()
    expect(await at.world.balance()).toEqual(before)
  })
})

test('fields without effect are named, and hints are not', async () => {
  const body = { temperature: 1, reasoning: { effort: 'low' }, metadata: { a: 'b' }, user: 'u', novel: 1 }
  const reply = await picture(at.key, { moderation: 'low', input_fidelity: 'high' }, body)
  expect(reply.status).toBe(200)
  expect(reply.headers.get('x-ignored-fields')?.split(', ')).toEqual([
    'temperature',
    'reasoning',
    'novel',
    'tools.0.moderation',
    'tools.0.input_fidelity',
  ])
  expect(reply.body.metadata).toEqual({ a: 'b' })
})

test('the list shows what an image model draws and what it costs', async () => {
  const { body } = await at.key.get('/v1/models/test/painter')
  expect(body).toMatchObject({
    kind: 'image',
    input_modalities: ['text', 'image'],
    output_modalities: ['image'],
    context_length: null,
    pricing: {
      currency: 'USD',
      per_image: 0.042,
      rows: [
        { quality: 'low', per_image: 0.011 },
        { quality: 'high', size: '128x128', per_image: 0.167 },
        { quality: 'high', per_image: 0.2500005 },
      ],
      per_reference: 0.00301,
      credits_per_usd: 1000,
    },
    studio_settings: {
      aspect_ratios: ['1:1', '3:2', '2:3'],
      sizes: ['128x128', '192x128', '128x192'],
      qualities: ['low', 'medium', 'high'],
      formats: ['png', 'jpeg', 'webp'],
      reference_capacity: 2,
      max_count: 1,
    },
    routes: expect.arrayContaining(['/v1/studio/image', '/v1/responses', '/v1/images/generations']),
  })
})

test('a server without any setting draws too', async () => {
  await using world = await sharedWorld()
  const reply = await picture(await world.key(), {}, { model: 'sandbox/image' })
  pictureIn(reply.body)
})
