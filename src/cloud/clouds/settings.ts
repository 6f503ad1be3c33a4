import { type Static, Type } from 'typebox'
import { fileSection, integerIn, mebibyte, readingRules, refusals, refuseConfig } from '#platform/config'
import type { Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/config' {
  interface Settings {
    clouds: CloudsConfig
  }
}

/** What any cloud may have. A megabyte has 1,000,000 bytes, a MiB 1,048,576. */
interface CommonLimits {
  secrets: number
  functions: number
  users: number
  files: number
  fileBytes: number
  fileTotalBytes: number
  dailyEgressBytes: number
  dailyFunctionCalls: number
  dailyMails: number
}

/** What a Starter cloud may have, and the packages of dedicated ones. */
export interface CloudsConfig extends CommonLimits {
  cloudsPerProject: number
  collections: number
  rows: number
  rowBytes: number
  packages: readonly Offer[]
}

/** A package of dedicated infrastructure, for one cloud. */
export interface Offer extends CommonLimits {
  id: string
  name: Localized
  description: Localized | undefined
  /** The disk space of its database, with what an empty one takes. */
  diskBytes: number
  /** The memory of its database while that is awake. */
  memoryBytes: number
  /** The connections of its app to its database at a time. */
  connections: number
  /** The hours in a month (UTC) in which its database may be awake. */
  awakeHours: number
}

const gibibyte = 1024 * mebibyte

/** The least that a package may have. A cloud whose package the configuration has no more gets this. */
export const minDatabase: Pick<Offer, 'diskBytes' | 'memoryBytes' | 'connections' | 'awakeHours'> = {
  diskBytes: 100_000_000,
  memoryBytes: 64 * mebibyte,
  connections: 5,
  awakeHours: 744,
}

interface Defaults {
  secrets: number
  functions: number
  users: number
  files: number
  file_bytes: number
  file_total_bytes: number
  daily_egress_bytes: number
  daily_function_calls: number
  daily_mails: number
}

const common = (defaults: Defaults) => ({
  secrets: integerIn(0, 1_000, { default: defaults.secrets, description: 'Secrets of one cloud.' }),
  functions: integerIn(0, 1_000, { default: defaults.functions, description: 'Functions of one cloud.' }),
  users: integerIn(0, 10_000_000, { default: defaults.users, description: 'App users of one cloud.' }),
  files: integerIn(0, 10_000_000, { default: defaults.files, description: 'Private files of one cloud.' }),
  file_bytes: integerIn(1, 50 * mebibyte, {
    default: defaults.file_bytes,
    description: 'Bytes of one private file.',
  }),
  file_total_bytes: integerIn(0, Number.MAX_SAFE_INTEGER, {
    default: defaults.file_total_bytes,
    description: 'Bytes of all files of one cloud.',
  }),
  daily_egress_bytes: integerIn(0, Number.MAX_SAFE_INTEGER, {
    default: defaults.daily_egress_bytes,
    description: 'Bytes that leave one cloud in a day (UTC): its answers, and what its functions send.',
  }),
  daily_function_calls: integerIn(0, 1_000_000_000_000, {
    default: defaults.daily_function_calls,
    description: 'Calls of the functions of one cloud in a day (UTC).',
  }),
  daily_mails: integerIn(0, 1_000_000, {
    default: defaults.daily_mails,
    description: 'Mails that one cloud sends in a day (UTC).',
  }),
})

const readCommon = (typed: Defaults): CommonLimits => ({
  secrets: typed.secrets,
  functions: typed.functions,
  users: typed.users,
  files: typed.files,
  fileBytes: typed.file_bytes,
  fileTotalBytes: typed.file_total_bytes,
  dailyEgressBytes: typed.daily_egress_bytes,
  dailyFunctionCalls: typed.daily_function_calls,
  dailyMails: typed.daily_mails,
})

const inBothLanguages = (maxLength: number, description: string) =>
  Type.Object(
    { fa: Type.String({ minLength: 1, maxLength }), en: Type.String({ minLength: 1, maxLength }) },
    { description },
  )

/** The longest id, in characters. */
export const maxPackageIdLength = 40

const offer = Type.Object(
  {
    id: Type.String({
      pattern: `^[a-z][a-z0-9-]{0,${maxPackageIdLength - 1}}$`,
      description: 'By which accounts have it. It stays: clouds whose package has no entry here only read.',
      ...readingRules({
        expected: {
          en: `small Latin letters, digits and hyphens, at most ${maxPackageIdLength}, a letter first`,
          fa: `حروف کوچک لاتین، رقم و خط تیره، حداکثر ${persian(maxPackageIdLength)} کاراکتر و با حرف در آغاز`,
        },
      }),
    }),
    name: inBothLanguages(100, 'For people.'),
    description: Type.Optional(inBothLanguages(1_000, 'What `GET /v1/cloud` says of it.')),
    disk_bytes: integerIn(minDatabase.diskBytes, Number.MAX_SAFE_INTEGER, {
      default: 5_000_000_000,
      description: 'Bytes of its database on disk; an empty one takes some 45 MB of them.',
    }),
    memory_bytes: integerIn(minDatabase.memoryBytes, 1024 * gibibyte, {
      default: 256 * mebibyte,
      description: 'Bytes of memory of its database while it is awake.',
    }),
    connections: integerIn(minDatabase.connections, 1_000, {
      default: 20,
      description: 'Connections of one cloud to its database at a time.',
    }),
    awake_hours: integerIn(1, 744, {
      default: 744,
      description: 'Hours of a month (UTC) in which its database may be awake.',
    }),
    ...common({
      ...{ secrets: 100, functions: 100, users: 100_000, files: 100_000 },
      ...{ file_bytes: 50 * mebibyte, file_total_bytes: 10_000_000_000, daily_egress_bytes: 20_000_000_000 },
      ...{ daily_function_calls: 1_000_000, daily_mails: 1_000 },
    }),
  },
  { description: 'A package of dedicated infrastructure, for one cloud.' },
)

const readOffer = (typed: Static<typeof offer>): Offer => ({
  id: typed.id,
  name: typed.name,
  description: typed.description,
  diskBytes: typed.disk_bytes,
  memoryBytes: typed.memory_bytes,
  connections: typed.connections,
  awakeHours: typed.awake_hours,
  ...readCommon(typed),
})

export const clouds = fileSection({
  name: 'clouds',
  schema: Type.Object(
    {
      clouds_per_project: integerIn(0, 100_000, {
        default: 3,
        description: 'Starter clouds of one project.',
      }),
      collections: integerIn(0, 1_000, { default: 20, description: 'Collections of one Starter cloud.' }),
      rows: integerIn(0, 10_000_000, {
        default: 10_000,
        description: 'Rows of all collections of one Starter cloud.',
      }),
      row_bytes: integerIn(0, Number.MAX_SAFE_INTEGER, {
        default: 25 * mebibyte,
        description: 'Bytes of all rows of one Starter cloud.',
      }),
      ...common({
        ...{ secrets: 20, functions: 20, users: 1_000, files: 1_000 },
        ...{ file_bytes: mebibyte, file_total_bytes: 10 * mebibyte, daily_egress_bytes: 1_000_000_000 },
        ...{ daily_function_calls: 100_000, daily_mails: 30 },
      }),
      packages: Type.Array(offer, {
        default: [],
        maxItems: 100,
        description: 'What accounts may be given for dedicated clouds (`kherad cloud package give`).',
      }),
    },
    { default: {} },
  ),
  read: (typed, { at }) => {
    const packages = typed.packages.map(readOffer)
    for (const [index, { id }] of packages.entries())
      if (packages.findIndex((other) => other.id === id) < index)
        refuseConfig(refusals.duplicate(at('packages', index, 'id')!.sourcePosition(), id))
    return {
      cloudsPerProject: typed.clouds_per_project,
      collections: typed.collections,
      rows: typed.rows,
      rowBytes: typed.row_bytes,
      ...readCommon(typed),
      packages,
    }
  },
})
