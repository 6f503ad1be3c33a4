import { type Static, type TSchema, Type } from 'typebox'
import { framedList, idCursor, pageQuery } from '#platform/lists'
import {
  closed,
  nameSchemas,
  nullable,
  oneOf,
  safeInteger,
  storableText,
  timestamp,
  uuid,
} from '#platform/schema'
import { workKinds } from '#work/pipelines'
import { kindPhrases } from './kind-phrases.ts'

const Kind = oneOf(...workKinds.map(({ name }) => name))
const described = <Schema extends TSchema>(schema: Schema, description: string, fa: string): Schema =>
  ({ ...schema, description, 'x-description-fa': fa }) as Schema

/** Stored files that a run of the kind data reads. */
export const FileIds = Type.Array(uuid(), {
  maxItems: 10,
  uniqueItems: true,
  description: 'Stored files (CSV, TSV, XLSX, JSON) that an analysis reads whole.',
  'x-description-fa': 'فایل‌های ذخیره‌شده (CSV، TSV، XLSX، JSON) که تحلیل داده کامل می‌خواند.',
})

export const WorkBody = Type.Object(
  {
    kind: described(Kind, kindPhrases.makes.en, kindPhrases.makes.fa),
    input: storableText(10, 12_000, {
      description: 'The task, in your own words; its language is that of the files.',
      'x-description-fa': 'خواسته، به زبان خودتان؛ فایل‌ها به همان زبان‌اند.',
    }),
    title: Type.Optional(storableText(1, 100)),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A text model; the default one when absent.',
        'x-description-fa': 'یک مدل متنی؛ در نبودش مدل پیش‌فرض.',
      }),
    ),
    knowledge_id: Type.Optional(
      described(
        uuid(),
        'A knowledge project whose passages the work may cite.',
        'پروژهٔ دانشی که کار می‌تواند به آن استناد کند.',
      ),
    ),
    file_ids: Type.Optional(FileIds),
    max_credits: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: kindPhrases.budget.en,
        'x-description-fa': kindPhrases.budget.fa,
      }),
    ),
  },
  {
    ...closed,
    examples: [{ kind: 'research', input: 'وضعیت انرژی خورشیدی در ایران و چشم‌انداز پنج سال آینده' }],
  },
)
export type WorkBody = Static<typeof WorkBody>

export const RunParams = Type.Object({ id: uuid() })

export const RunListQuery = pageQuery({
  max: 100,
  after: idCursor('Runs asked for before this one.', 'کارهایی که پیش از این خواسته شده‌اند.'),
})
export type RunListQuery = Static<typeof RunListQuery>

export const FilesQuery = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'Exactly as the manifest has it.',
        'x-description-fa': 'درست همان‌گونه که در فهرست فایل‌ها آمده است.',
      }),
    ),
    bundle: Type.Optional(described(oneOf('1'), 'All files in one zip.', 'همهٔ فایل‌ها در یک بستهٔ zip.')),
  },
  closed,
)
export type FilesQuery = Static<typeof FilesQuery>

const credits = (description: string, fa: string) =>
  Type.Integer({ ...safeInteger, description, 'x-description-fa': fa })
const Reserved = credits(
  'Whole credits held for the run: its worst case.',
  'اعتبار کنارگذاشته برای کار: بیشترین هزینهٔ آن.',
)

/** Contract section 2, “Work run”. */
export const AcceptedRun = Type.Object({
  id: uuid(),
  object: Type.Literal('run'),
  status: Type.Literal('queued'),
  status_url: Type.String(),
  files_url: Type.String(),
  reserved_credits: Reserved,
  request_id: uuid(),
})
export type AcceptedRun = Static<typeof AcceptedRun>

export const RunSummary = Type.Object({
  id: uuid(),
  object: Type.Literal('run'),
  status: oneOf('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelling', 'cancelled'),
  kind: Kind,
  title: nullable(Type.String()),
  model: Type.String(),
  is_sandbox: Type.Boolean({
    description: 'A simulator answers: nothing of it is to be relied on.',
    'x-description-fa': 'شبیه‌ساز پاسخ می‌دهد: به نتیجه‌اش تکیه نکنید.',
  }),
  is_partial: Type.Boolean({
    description: 'It succeeded, and something was left out; progress.message says what.',
    'x-description-fa': 'انجام شد ولی بخشی از آن کنار گذاشته شد؛ progress.message می‌گوید چه.',
  }),
  progress: Type.Object({
    percent: Type.Integer({ minimum: 0, maximum: 100 }),
    message: Type.String(),
  }),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  reserved_credits: Reserved,
  credits: credits('Whole credits that it did cost so far.', 'هزینهٔ کار تا اینجا.'),
  agent_id: nullable(uuid()),
  knowledge_id: nullable(uuid()),
  file_ids: Type.Array(uuid()),
  request_id: described(uuid(), 'Its receipt: GET /v1/requests/{id}.', 'رسید آن: GET /v1/requests/{id}.'),
  created_at: timestamp(),
  started_at: nullable(timestamp()),
  retry_at: nullable(timestamp()),
  ended_at: nullable(timestamp()),
  expires_at: described(
    nullable(timestamp()),
    'It is kept with its files until then.',
    'کار و فایل‌هایش تا این زمان نگه داشته می‌شوند.',
  ),
  status_url: Type.String(),
  files_url: Type.String(),
  events_url: Type.String(),
})
export type RunSummary = Static<typeof RunSummary>

export const RunEvent = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  type: oneOf(
    'queued',
    'running',
    'waiting',
    'progress',
    'file',
    'cancelling',
    'succeeded',
    'failed',
    'cancelled',
  ),
  created_at: timestamp(),
  message: Type.String(),
  percent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  path: Type.Optional(Type.String()),
  media_type: Type.Optional(Type.String()),
  bytes: Type.Optional(Type.Integer({ minimum: 0 })),
  retry_at: Type.Optional(timestamp()),
  code: Type.Optional(Type.String()),
})
export type RunEvent = Static<typeof RunEvent>

const ManifestFile = Type.Object({
  path: Type.String(),
  media_type: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  title: Type.String(),
})
export type ManifestFile = Static<typeof ManifestFile>

export const RunStatus = Type.Object({
  ...RunSummary.properties,
  events: Type.Array(RunEvent, { description: 'The newest 100.', 'x-description-fa': 'صد رویداد آخر.' }),
  files: Type.Array(ManifestFile),
})
export type RunStatus = Static<typeof RunStatus>

export const RunList = framedList.schema(RunSummary)

nameSchemas({ AcceptedRun: AcceptedRun, Run: RunStatus, RunEvent, RunList, RunSummary, WorkBody })
