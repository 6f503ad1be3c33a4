/** Draws the parts of a video before it is encoded, off the event loop: in the thread pools of resvg and libvips. */
import type { PixelSize } from '#core/turn'
import { orderedLines } from '../image/bidi.ts'
import { fontFiles } from '../image/font.ts'
import { posterOf } from '../image/poster.ts'
import { type Layout, margin } from './layout.ts'
import { barHeight } from './stripe.ts'

/** Pixels of red, green, blue and alpha. */
export interface Drawing {
  /** The part of the loop that does not move; absent where no loop is shown. */
  backdrop?: Uint8Array
  star: { pixels: Uint8Array; size: PixelSize }
  /** The upper edge of the lane in which the star swings. */
  lane: number
  /** The ordered first picture, and the last one. */
  frames: Uint8Array[]
  /** The stripes of all seconds, one below the other. */
  stripes: Uint8Array
}

export interface DrawOptions {
  prompt: string
  seed?: number | undefined
  seconds: number
  layout: Layout
  /** Pictures that are shown small beside the prompt. */
  guides: readonly Uint8Array[]
  /** The first picture, and the last one. */
  frames: readonly Uint8Array[]
}

/** A longer prompt is cut: nobody reads more of a moving picture. */
const maxCharacters = 400

export async function draw({ layout, ...options }: DrawOptions): Promise<Drawing> {
  const { scene } = layout
  const unit = Math.min(scene.width, scene.height)
  const side = 2 * Math.round(unit / 14)
  // The lane ends above the last macroblocks of the scene, which nothing crosses.
  const lane = 2 * Math.floor((scene.height - side) / 2) - 16
  const hasLoop = options.frames.length < 2
  const [backdrop, star, stripes, ...frames] = await Promise.all([
    hasLoop ? backdropOf(options, scene, lane) : undefined,
    render(starOf(side)),
    render(stripesOf(layout, options.seconds)),
    ...options.frames.map((bytes) => fitted(bytes, scene, ground)),
  ])
  return {
    ...(backdrop && { backdrop }),
    star: { pixels: star, size: { width: side, height: side } },
    lane,
    frames,
    stripes,
  }
}

const ground = '#101a2c'

async function render(svg: string): Promise<Uint8Array> {
  const { renderAsync } = await import('@resvg/resvg-js')
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: 'Vazirmatn' }
  return (await renderAsync(svg, { font })).pixels
}

/** The whole picture, in the middle of the size, as large as it can be. */
async function fitted(bytes: Uint8Array, size: PixelSize, background: string): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  return await sharp(bytes)
    .rotate()
    .resize({ ...size, fit: 'contain', background })
    .flatten({ background })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer()
}

/** The picture behind the star: the prompt as a poster, pictures that guide below it, and the empty lane. */
async function backdropOf(
  { prompt, seed, guides }: Omit<DrawOptions, 'layout'>,
  scene: PixelSize,
  lane: number,
): Promise<Uint8Array> {
  const { width } = scene
  const cell =
    guides.length === 0
      ? 0
      : Math.min(2 * Math.floor(scene.height / 10), 2 * Math.floor(width / guides.length / 2))
  const posterHeight = lane - 16 - cell - (cell > 0 ? 16 : 0)
  const text = Array.from(prompt)
  const shown = text.length > maxCharacters ? `${text.slice(0, maxCharacters).join('')}…` : prompt
  const [poster, ...thumbs] = await Promise.all([
    render(
      posterOf({
        prompt: shown,
        size: { width, height: posterHeight },
        index: 0,
        seed,
        overPictures: false,
        isForReaders: false,
      }),
    ),
    ...guides.map((bytes) => fitted(bytes, { width: cell - 8, height: cell }, ground)),
  ])
  const canvas = filled(scene)
  canvas.set(poster)
  const left = Math.floor((width - cell * guides.length) / 2)
  for (const [index, thumb] of thumbs.entries())
    for (let y = 0; y < cell; y++) {
      const row = 4 * ((posterHeight + 16 + y) * width + left + cell * index + 4)
      canvas.set(thumb.subarray(4 * y * (cell - 8), 4 * (y + 1) * (cell - 8)), row)
    }
  return canvas
}

function filled({ width, height }: PixelSize): Buffer {
  const colour = Buffer.from(`${ground.slice(1)}ff`, 'hex')
  return Buffer.alloc(4 * width * height, colour)
}

/** A star of two squares, as on the tiles of the posters; it has no backdrop, so that its alpha is its edge. */
function starOf(side: number): string {
  const [middle, square] = [side / 2, side * 0.66]
  const rect = (turn: number): string =>
    `<rect x="${middle - square / 2}" y="${middle - square / 2}" width="${square}" height="${square}" transform="rotate(${turn} ${middle} ${middle})"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><g fill="#f4c95d">${rect(0)}${rect(45)}</g></svg>`
}

const mark = 'ساختهٔ شبیه‌ساز خرد · Kherad sandbox'

function stripesOf({ stripe: { width, height } }: Layout, seconds: number): string {
  const room = height - margin - barHeight
  const textSize = Math.min(20, Math.floor(room * 0.62), Math.floor(width / 26))
  const [words] = orderedLines([mark], true)
  const baseline = margin + room / 2 + textSize * 0.34
  const rows = Array.from({ length: seconds }, (_, second) => {
    const y = second * height + baseline
    return `<text x="12" y="${y}">${clock(second)} / ${clock(seconds)}</text><text x="${width - 12}" y="${y}" text-anchor="end">${words}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height * seconds}"><rect width="${width}" height="${height * seconds}" fill="${ground}"/><g font-family="Vazirmatn" font-size="${textSize}" fill="#e8eefc">${rows.join('')}</g></svg>`
}

const clock = (second: number): string => `0:${String(second).padStart(2, '0')}`
