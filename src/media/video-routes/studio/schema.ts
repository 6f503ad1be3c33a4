import { type Static, Type } from 'typebox'
import { Execution, Reference } from '#media/studio'
import {
  closed,
  nullable,
  oneOf,
  patterned,
  safeInteger,
  storableText,
  timestamp,
  uuid,
} from '#platform/schema'

/** The bound of contract section 4; each model has its own bounds within it. */
const maxReferences = 8

export const VideoBody = Type.Object(
  {
    prompt: storableText(1, 8_000),
    model: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'A video model; left out: `defaults.video_model` of the configuration.',
        'x-description-fa': 'یک مدل ویدیو؛ اگر نیاید `defaults.video_model` پیکربندی.',
      }),
    ),
    duration: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        description: 'Seconds. What goes with what says `studio_settings.combinations` of the model’s card.',
        'x-description-fa': 'ثانیه. `studio_settings.combinations` در مشخصات مدل می‌گوید چه با چه می‌آید.',
      }),
    ),
    resolution: Type.Optional(oneOf('480p', '720p', '1080p')),
    aspectRatio: Type.Optional(
      Type.String({
        maxLength: 24,
        ...patterned('^[1-9][0-9]*:[1-9][0-9]*$', {
          en: 'must be two whole numbers such as 16:9',
          fa: 'باید دو عدد صحیح باشد، مانند 16:9',
        }),
      }),
    ),
    generateAudio: Type.Optional(
      Type.Boolean({
        description: 'Whether the video has sound, where the model leaves the choice.',
        'x-description-fa': 'ویدیو صدا داشته باشد یا نه، اگر مدل انتخاب را باز گذاشته باشد.',
      }),
    ),
    referenceMode: Type.Optional(
      Type.Unsafe<'guide' | 'frames'>({
        ...oneOf('guide', 'frames'),
        description:
          'guide: the pictures say what things look like; frames: the first is the first frame, the second the last.',
        'x-description-fa':
          'guide: تصویرها می‌گویند چیزها چه شکلی‌اند؛ frames: اولی نخستین قاب است و دومی آخرین قاب.',
      }),
    ),
    references: Type.Optional(Type.Array(Reference, { minItems: 1, maxItems: maxReferences })),
  },
  {
    ...closed,
    examples: [
      { prompt: 'موج‌های آرام دریا در سپیده‌دم', duration: 4, resolution: '480p' },
      {
        prompt: 'دوربین آهسته نزدیک می‌شود',
        model: 'sandbox/video',
        aspectRatio: '9:16',
        generateAudio: false,
      },
    ],
  },
)
export type VideoBody = Static<typeof VideoBody>

const accepted = {
  id: uuid(),
  providerJobId: Type.String({
    description: 'Keep both ids: status and content are asked for by the pair.',
    'x-description-fa': 'هر دو شناسه را نگه دارید: وضعیت و محتوا با این جفت خواسته می‌شوند.',
  }),
  object: Type.Literal('studio.video'),
  model: Type.String(),
  createdAt: timestamp(),
  reservedCredits: Type.Integer({
    ...safeInteger,
    description: 'Credits that are held until it has ended, rounded up.',
    'x-description-fa': 'اعتباری که تا پایان کار کنار گذاشته می‌شود، رو به بالا گرد شده.',
  }),
  requestId: Type.String({
    description: 'Its receipt: GET /v1/requests/{id}.',
    'x-description-fa': 'رسید آن: GET /v1/requests/{id}.',
  }),
  pollAfterSeconds: Type.Integer({
    ...safeInteger,
    description: 'When it is worth asking again; 0 once it has ended.',
    'x-description-fa': 'چند ثانیه دیگر پرسیدن ارزش دارد؛ پس از پایان ۰.',
  }),
}

export const AcceptedVideo = Type.Object({ ...accepted, status: Type.Literal('queued') })
export type AcceptedVideo = Static<typeof AcceptedVideo>

export const VideoPair = Type.Object(
  {
    id: uuid(),
    providerJobId: Type.String({ minLength: 1, maxLength: 200 }),
  },
  {
    ...closed,
    examples: [{ id: '01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f', providerJobId: 'pj_6mG1cT2oV8sYk0aQxRrWgA' }],
  },
)
export type VideoPair = Static<typeof VideoPair>

export const VideoStatus = Type.Object({
  ...accepted,
  status: Type.Unsafe<'queued' | 'processing' | 'completed' | 'failed'>(
    oneOf('queued', 'processing', 'completed', 'failed'),
  ),
  progress: nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Per cent, where the upstream says it.',
      'x-description-fa': 'درصد، اگر بالادست بگوید.',
    }),
  ),
  queuePosition: Type.Optional(Type.Integer(safeInteger)),
  settings: Type.Object({
    duration: Type.Integer(safeInteger),
    resolution: oneOf('480p', '720p', '1080p'),
    aspectRatio: Type.String(),
    generateAudio: Type.Boolean(),
    referenceMode: Type.Optional(oneOf('guide', 'frames')),
  }),
  completedAt: nullable(timestamp()),
  expiresAt: nullable(
    Type.String({
      description: 'Until then the video is kept.',
      'x-description-fa': 'ویدیو تا این زمان نگه داشته می‌شود.',
    }),
  ),
  video: Type.Optional(
    Type.Object({
      width: Type.Integer(safeInteger),
      height: Type.Integer(safeInteger),
      durationSeconds: Type.Number({ minimum: 0 }),
      sizeBytes: Type.Integer(safeInteger),
      hasAudio: Type.Boolean(),
      fileId: Type.Optional(
        Type.String({
          description: 'The stored video: GET /v1/files/{id}; absent once it is gone.',
          'x-description-fa': 'ویدیوی ذخیره‌شده: GET /v1/files/{id}؛ وقتی دیگر نباشد نمی‌آید.',
        }),
      ),
    }),
  ),
  execution: Type.Optional(Execution),
  credits: Type.Number({
    minimum: 0,
    description: 'What it cost, with at most six decimals; 0 until it has ended.',
    'x-description-fa': 'هزینه با حداکثر شش رقم اعشار؛ تا پایان کار ۰.',
  }),
  pending: Type.Boolean({
    description: 'True while credits are held for it.',
    'x-description-fa': 'تا اعتباری برای آن کنار گذاشته شده است true.',
  }),
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
})
export type VideoStatus = Static<typeof VideoStatus>
