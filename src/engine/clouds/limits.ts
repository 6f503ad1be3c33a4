import type { CloudsConfig } from './settings.ts'

/** The limits of one cloud. */
export type CloudLimits = Omit<CloudsConfig, 'cloudsPerProject'>

/** Those of the configuration, and in their place what the operator has set for this cloud alone, by the same names. */
export const limitsOf = (config: CloudsConfig, own: Readonly<Record<string, number>> = {}): CloudLimits => ({
  secrets: own['secrets'] ?? config.secrets,
  functions: own['functions'] ?? config.functions,
  collections: own['collections'] ?? config.collections,
  rows: own['rows'] ?? config.rows,
  rowBytes: own['row_bytes'] ?? config.rowBytes,
  users: own['users'] ?? config.users,
  files: own['files'] ?? config.files,
  fileBytes: own['file_bytes'] ?? config.fileBytes,
  fileTotalBytes: own['file_total_bytes'] ?? config.fileTotalBytes,
  dailyEgressBytes: own['daily_egress_bytes'] ?? config.dailyEgressBytes,
  dailyFunctionCalls: own['daily_function_calls'] ?? config.dailyFunctionCalls,
  dailyMails: own['daily_mails'] ?? config.dailyMails,
})
