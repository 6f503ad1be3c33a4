/** The settings of published websites: the bounds of files, whole sites, publications and visitors. */
import { Type } from 'typebox'
import { fileSection, integerIn } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    sites: SitesConfig
  }
}

/** What published websites may have. A megabyte has 1,000,000 bytes here. */
export interface SitesConfig {
  sitesPerProject: number
  files: number
  totalBytes: number
  fileBytes: number
  keptVersions: number
  dailyRequests: number
  dailyBytes: number
  domainsPerSite: number
  /** How many publications one process checks or compresses at the same time. */
  publicationsAtOnce: number
}

export const sites = fileSection({
  name: 'sites',
  schema: Type.Object(
    {
      sites_per_project: integerIn(0, 100_000, {
        default: 10,
        description: 'Sites of one project.',
      }),
      files: integerIn(1, 10_000, { default: 500, description: 'Files of one site.' }),
      total_bytes: integerIn(1, 200_000_000, {
        default: 20_000_000,
        description: 'What all files of one site may weigh together.',
      }),
      file_bytes: integerIn(1, 200_000_000, {
        default: 15_000_000,
        description: 'What one file may weigh.',
      }),
      kept_versions: integerIn(1, 19, {
        default: 5,
        description: 'The newest versions of a site that are kept, to go back to.',
      }),
      daily_requests: integerIn(0, 1_000_000_000_000, {
        default: 1_000_000,
        description: 'Requests of visitors that one site answers in a day (UTC).',
      }),
      daily_bytes: integerIn(0, Number.MAX_SAFE_INTEGER, {
        default: 10_000_000_000,
        description: 'Bytes that one site sends its visitors in a day (UTC).',
      }),
      domains_per_site: integerIn(0, 1_000, {
        default: 5,
        description: 'Domains of its own that one site may have.',
      }),
      publications_at_once: integerIn(1, 64, {
        default: 2,
        description: 'Publications that one process reads and compresses at the same time.',
      }),
    },
    { default: {} },
  ),
  read: (typed) => ({
    sitesPerProject: typed.sites_per_project,
    files: typed.files,
    totalBytes: typed.total_bytes,
    fileBytes: typed.file_bytes,
    keptVersions: typed.kept_versions,
    dailyRequests: typed.daily_requests,
    dailyBytes: typed.daily_bytes,
    domainsPerSite: typed.domains_per_site,
    publicationsAtOnce: typed.publications_at_once,
  }),
})
