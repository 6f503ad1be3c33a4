/** Models of pictures that a vendor's key switches on: those whose price and name stand in a public document, which is named beside them. */
import type { BaseModel, ModelNamer } from '../../model-namer.ts'
import type {
  ExpectedImageTokens,
  ImageModel,
  ImagePricing,
  ImageSettings,
  PicturePricing,
} from './image-model.ts'

const imageModel = (
  named: BaseModel,
  pricing: ImagePricing,
  image: Pick<ImageSettings, 'sizes'> & Partial<ImageSettings>,
  options: ImageModel['options'] = [],
): ImageModel => ({
  ...named,
  kind: 'image',
  inputModalities: (image.maxReferences ?? 0) > 0 ? ['text', 'image'] : ['text'],
  image: {
    qualities: [],
    formats: [],
    backgrounds: [],
    maxCount: 1,
    maxReferences: 0,
    takesMasks: false,
    maxPartials: 0,
    takesSeed: false,
    ...image,
  },
  options,
  pricing,
})

const perPicture = (perImage: number): PicturePricing => ({
  unit: 'image',
  perImage,
  rows: [],
  perReference: 0,
  perPartial: 0,
})

const sizes = (...pairs: [number, number][]) => pairs.map(([width, height]) => ({ width, height }))

/**
 * $5 a million tokens of text, $8 of pictures given to edit, $30 of pictures drawn: docs.laozhang.ai, announcements/gpt-image-2-6-2026-11, and
 * apidog.com/blog/gpt-image-2-5-api quote these prices of developers.openai.com; they also have the sizes, and 100 tokens for an unfinished picture.
 * No document states the most tokens of a picture given to edit: 4,096 patches of 2048 × 2048 and half as many more are assumed.
 */
const openAiPictures = (
  named: BaseModel,
  output: ExpectedImageTokens['output'],
  backgrounds: ImageSettings['backgrounds'],
): ImageModel =>
  imageModel(
    named,
    {
      unit: 'tokens',
      inputPerMillion: 5,
      mediaInputPerMillion: 8,
      outputPerMillion: 30,
      expected: { output, perReference: 6_144, perPartial: 100, margin: 1.5 },
    },
    {
      sizes: sizes([1024, 1024], [1536, 1024], [1024, 1536]),
      qualities: ['low', 'medium', 'high'],
      formats: ['png', 'jpeg', 'webp'],
      backgrounds,
      maxCount: 4,
      maxReferences: 16,
      takesMasks: true,
      maxPartials: 3,
    },
    // `style` is a setting of DALL·E 3 alone (openai 6, ImageGenerateParams).
    ['moderation', 'input_fidelity'],
  )

/**
 * Tokens of 1024 × 1024 with 2.5, whose prices 2.6 kept (github.com/sanand0/blog, quality-levels-of-gpt-image-2.5-flare); wide and tall pictures have
 * fewer.
 */
const outputOf25: ExpectedImageTokens['output'] = [
  { quality: 'low', tokens: 196 },
  { quality: 'medium', tokens: 439 },
  { quality: 'high', tokens: 1_756 },
]

/** Tokens of 1024 × 1024 with 2 (community.openai.com/t/1379464): the same tokens give a lower quality than with 2.5. */
const outputOf2: ExpectedImageTokens['output'] = [
  { quality: 'low', tokens: 196 },
  { quality: 'medium', tokens: 1_756 },
  { quality: 'high', tokens: 7_024 },
]

/** The sizes of Recraft (recraft.ai/docs/api-reference/appendix). */
const recraftSizes = sizes(
  [1024, 1024],
  [1536, 768],
  [768, 1536],
  [1280, 832],
  [832, 1280],
  [1216, 896],
  [896, 1216],
  [1344, 768],
  [768, 1344],
)

export const readyMadeImages = {
  // Source: developers.openai.com/api/docs/models/<model>.
  openai: (named: ModelNamer): ImageModel[] => [
    openAiPictures(named('gpt-image-2.6-flare', 'GPT Image 2.6 Flare'), outputOf25, [
      'opaque',
      'transparent',
    ]),
    openAiPictures(named('gpt-image-2.6-sunburst', 'GPT Image 2.6 Sunburst'), outputOf25, [
      'opaque',
      'transparent',
    ]),
    openAiPictures(named('gpt-image-2', 'GPT Image 2'), outputOf2, ['opaque']),
  ],
  // Source: openrouter.ai/<model>. Where copies of a page differ by a cent, the highest price is used.
  openrouter: (named: ModelNamer): ImageModel[] => [
    imageModel(named('recraft/recraft-v4.1', 'Recraft V4.1'), perPicture(0.04), {
      sizes: recraftSizes,
      maxReferences: 1,
    }),
    imageModel(named('recraft/recraft-v4.1-vector', 'Recraft V4.1 Vector'), perPicture(0.08), {
      sizes: recraftSizes,
      formats: ['svg'],
      maxReferences: 1,
    }),
    // "$0.04 per output image, regardless of size"; the sizes are those that routeway.ai/models/seedream-v4.5-sequential lists.
    imageModel(named('bytedance-seed/seedream-4.5', 'Seedream 4.5'), perPicture(0.04), {
      sizes: sizes([1920, 1920], [2560, 1440], [1440, 2560], [3072, 2048], [2048, 3072]),
      maxReferences: 8,
    }),
  ],
  gemini: (named: ModelNamer): ImageModel[] => [
    imageModel(
      // $0.134 a picture of 1K or 2K (4K costs more): ai.google.dev/gemini-api/docs/pricing, as api-evangelist/gemini copied it on 2026-09-20. A
      // picture that is given to edit has 560 tokens: docs.cloud.google.com, gemini/3-pro-image; $2 a million.
      named('gemini-3-pro-image', 'Gemini 3 Pro Image'),
      { ...perPicture(0.134), perReference: 0.00112 },
      {
        sizes: sizes(
          [1024, 1024],
          [1264, 848],
          [848, 1264],
          [1376, 768],
          [768, 1376],
          [2048, 2048],
          [2752, 1536],
          [1536, 2752],
        ),
        maxReferences: 8,
        maxCount: 4,
      },
    ),
  ],
  fal: (named: ModelNamer): ImageModel[] => [
    imageModel(
      // fal.ai/models/fal-ai/flux-1/dev/llms.txt: $0.025 a megapixel. All of these sizes have less than one.
      named('fal-ai/flux-1/dev', 'FLUX.1 [dev]'),
      perPicture(0.025),
      {
        sizes: sizes([960, 960], [1024, 768], [768, 1024], [1280, 720], [720, 1280]),
        formats: ['png', 'jpeg'],
        maxCount: 4,
      },
    ),
  ],
}
