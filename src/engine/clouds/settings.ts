import { Type } from 'typebox'
import { fileSection, integerIn } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    clouds: CloudsConfig
  }
}

/** What a Starter cloud may have. A megabyte has 1,000,000 bytes, a MiB 1,048,576. */
export interface CloudsConfig {
  cloudsPerProject: number
  secrets: number
  functions: number
  collections: number
  rows: number
  rowBytes: number
  users: number
  files: number
  fileBytes: number
  fileTotalBytes: number
  dailyEgressBytes: number
  dailyFunctionCalls: number
  dailyMails: number
}

const mebibyte = 1024 * 1024

export const clouds = fileSection({
  name: 'clouds',
  schema: Type.Object(
    {
      clouds_per_project: integerIn(0, 100_000, {
        default: 3,
        description: 'Starter clouds of one project.',
      }),
      secrets: integerIn(0, 1_000, { default: 20, description: 'Secrets of one cloud.' }),
      functions: integerIn(0, 1_000, { default: 20, description: 'Functions of one cloud.' }),
      collections: integerIn(0, 1_000, { default: 20, description: 'Collections of one cloud.' }),
      rows: integerIn(0, 10_000_000, {
        default: 10_000,
        description: 'Rows of all collections of one cloud.',
      }),
      row_bytes: integerIn(0, Number.MAX_SAFE_INTEGER, {
        default: 25 * mebibyte,
        description: 'Bytes of all rows of one cloud.',
      }),
      users: integerIn(0, 10_000_000, { default: 1_000, description: 'App users of one cloud.' }),
      files: integerIn(0, 10_000_000, { default: 1_000, description: 'Private files of one cloud.' }),
      file_bytes: integerIn(1, 50 * mebibyte, {
        default: mebibyte,
        description: 'Bytes of one private file.',
      }),
      file_total_bytes: integerIn(0, Number.MAX_SAFE_INTEGER, {
        default: 10 * mebibyte,
        description: 'Bytes of all private files of one cloud.',
      }),
      daily_egress_bytes: integerIn(0, Number.MAX_SAFE_INTEGER, {
        default: 1_000_000_000,
        description: 'Bytes that leave one cloud in a day (UTC): its answers, and what its functions send.',
      }),
      daily_function_calls: integerIn(0, 1_000_000_000_000, {
        default: 100_000,
        description: 'Calls of the functions of one cloud in a day (UTC).',
      }),
      daily_mails: integerIn(0, 1_000_000, {
        default: 30,
        description: 'Mails that one cloud sends in a day (UTC).',
      }),
    },
    { default: {} },
  ),
  read: (typed) => ({
    cloudsPerProject: typed.clouds_per_project,
    secrets: typed.secrets,
    functions: typed.functions,
    collections: typed.collections,
    rows: typed.rows,
    rowBytes: typed.row_bytes,
    users: typed.users,
    files: typed.files,
    fileBytes: typed.file_bytes,
    fileTotalBytes: typed.file_total_bytes,
    dailyEgressBytes: typed.daily_egress_bytes,
    dailyFunctionCalls: typed.daily_function_calls,
    dailyMails: typed.daily_mails,
  }),
})
