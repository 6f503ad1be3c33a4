/** A server with image models on fake upstreams, and pictures to look into. */
import sharp from 'sharp'
import type { Client, Seen } from '../harness/client.ts'
import { type OpenWorld, type SharedWorldOptions, sharedWorld } from '../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream, json, type Script, type UpstreamCall } from '../harness/upstream.ts'
import { boot, type World, type WorldOptions } from '../harness/world.ts'

export const picture = (
  key: Client,
  tool: Record<string, unknown> = {},
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Seen> =>
  key.post(
    '/v1/responses',
    {
      model: 'test/painter',
      input: 'a cat on a roof',
      ...(Object.keys(tool).length > 0 && { tools: [{ type: 'image_generation', ...tool }] }),
      ...body,
    },
    headers,
  )

/** An input of a text and of these pictures. */
export const withPictures = (...pictures: Buffer[]) => [
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'make it blue' },
      ...pictures.map((bytes) => ({
        type: 'input_image',
        image_url: `data:image/png;base64,${bytes.toString('base64')}`,
      })),
    ],
  },
]

/** A picture whose left half is red and whose right half is blue. */
export const halves = async (width: number, height: number): Promise<Buffer> => {
  const blue = { create: { width: width / 2, height, channels: 3, background: '#0000ff' } } as const
  return sharp({ create: { width, height, channels: 3, background: '#ff0000' } })
    .composite([{ input: await sharp(blue).png().toBuffer(), left: width / 2, top: 0 }])
    .png()
    .toBuffer()
}

/** The field of a request, whether it came as JSON or as a form. */
export function fieldOf({ body, bytes }: UpstreamCall, name: string): string | undefined {
  if (body) return body[name] === undefined ? undefined : String(body[name])
  return new RegExp(`name="${name}"\r\n\r\n([^\r]*)\r\n`).exec(bytes.toString('latin1'))?.[1]
}

/** As an obedient upstream answers: in the size that it was asked for. */
export async function drawn(call: UpstreamCall): Promise<Script> {
  const [width = 0, height = 0] = (fieldOf(call, 'size') ?? '').split('x').map(Number)
  const format = (fieldOf(call, 'output_format') ?? 'png') as 'png'
  const bytes = await sharp(await halves(width, height))
    .toFormat(format)
    .toBuffer()
  return json(200, { data: [{ b64_json: bytes.toString('base64') }] })
}

export interface ImagesWorld extends AsyncDisposable {
  world: World
  upstream: FakeUpstream
  key: Client
}

const config = (url: string, provider: string, presets: string, more: string) => `
${more}
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [images]${provider} }
  - { id: gone, base_url: "http://127.0.0.1:9/v1", dialects: [images] }
models:
  - id: test/painter
    kind: image
    deployments: [{ provider: fake, model: painter-1 }]
    image:
      sizes: [128x128, 192x128, 128x192]
      qualities: [low, medium, high]
      formats: [png, webp]
      backgrounds: [opaque, transparent]
      max_references: 2
    pricing:
      per_image: 0.042
      rows:
        - { quality: low, per_image: 0.011 }
        - { quality: high, size: 128x128, per_image: 0.167 }
        - { quality: high, per_image: 0.2500005 }
      per_reference: 0.00301
  - id: test/gradual
    kind: image
    deployments: [{ provider: fake, model: gradual-1 }]
    image: { sizes: [128x128], max_references: 1, partial_images: 2 }
    pricing: { per_image: 0.04, per_partial: 0.003 }
  - id: test/seeded
    kind: image
    deployments: [{ provider: fake, model: seeded-1 }]
    image: { sizes: [128x128], max_count: 2, max_references: 1, seed: true }
    pricing: { per_image: 0.04 }
  - id: test/masked
    kind: image
    deployments: [{ provider: fake, model: masked-1 }]
    image: { sizes: [128x128, 192x128], max_references: 2, masks: true }
    pricing: { per_image: 0.042, per_reference: 0.00301 }
  - id: test/plain
    kind: image
    deployments: [{ provider: fake, model: plain-1 }]
    image: { sizes: [128x128], response_format: b64_json }
    pricing: { per_image: 0.0000000123 }
  - id: test/free
    kind: image
    deployments: [{ provider: fake, model: free-1 }]
    image: { sizes: [128x128] }
    pricing: { per_image: 0 }
  - id: test/spread
    kind: image
    deployments:
      - { provider: gone, model: away }
      - { provider: fake, model: first, priority: 1 }
      - { provider: fake, model: second, priority: 2 }
    fallbacks: [test/plain, test/painter]
    image: { sizes: [128x128], qualities: [high] }
    pricing: { per_image: 0.01 }
  - id: test/vector
    kind: image
    deployments: [{ provider: fake, model: vector-1 }]
    image: { sizes: [128x128], formats: [svg] }
    pricing: { per_image: 0.08 }
defaults: { credits_per_usd: 1000, markup: 1.0, studio: { ${presets} } }
`

/** `provider`: more members of the provider's entry; `presets`: those of `defaults.studio`; `more`: other sections. */
export const bootOnImages = (options: Omit<WorldOptions, 'config'> & ImagesLines = {}) =>
  openOnImages(boot, options)

/** The same on the shared server. */
export const shareOnImages = (options: Omit<SharedWorldOptions, 'config'> & Omit<ImagesLines, 'more'> = {}) =>
  openOnImages(sharedWorld, options)

interface ImagesLines {
  provider?: string
  presets?: string
  more?: string
}

async function openOnImages(
  start: OpenWorld,
  { provider = '', presets = '', more = '', ...ask }: Omit<WorldOptions, 'config'> & ImagesLines,
): Promise<ImagesWorld> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  upstream.reply(drawn)
  const world = stack.use(await start({ ...ask, config: config(upstream.url, provider, presets, more) }))
  const key = await world.key()
  const open = stack.move()
  return { world, upstream, key, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** What the platform lost by the account of this world, in micro-credits. */
export async function lossOf({ app, account }: World): Promise<bigint> {
  const [row] = await app.db.query<{ sum: bigint }>(
    {
      text: `select coalesce(-sum(amount), 0)::bigint as sum from ledger.entries
        where book = 'loss' and account_id = $1`,
    },
    [account],
  )
  return row!.sum
}

/** The colour at a place, as `#rrggbb`, or `clear`. */
export async function colourAt(bytes: Buffer, x: number, y: number): Promise<string> {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * 4
  if (data[at + 3] === 0) return 'clear'
  return `#${data.subarray(at, at + 3).toString('hex')}`
}

/**
 * Whether each column has ink: pixels darker than `lightest`. Unless it is named, only the text of a sandbox picture on a clear backdrop is
 * so dark; letters of a few pixels are lighter.
 */
export async function inkedColumns(bytes: Buffer, lightest = 70): Promise<boolean[]> {
  const { data, info } = await sharp(bytes)
    .flatten({ background: '#fff' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const columns = new Array<boolean>(info.width).fill(false)
  for (let at = 0; at < data.length; at += info.channels)
    if (data[at]! < lightest) columns[(at / info.channels) % info.width] = true
  return columns
}

/** Widths of the runs of inked columns, from left to right. */
export function runsOf(columns: readonly boolean[]): number[] {
  const runs: number[] = []
  for (const [x, inked] of columns.entries()) {
    if (inked && !columns[x - 1]) runs.push(0)
    if (inked) runs[runs.length - 1]! += 1
  }
  return runs
}
