/** The limits of one site: of the settings, or as the operator set them for it. */
import type { SitesConfig } from './settings.ts'

/** The limits of one site: those of the configuration, each replaced by what the operator has set for this site alone, by the same name. */
export interface SiteLimits {
  files: number
  totalBytes: number
  fileBytes: number
  dailyRequests: number
  dailyBytes: number
  domains: number
}

export const limitsOf = (config: SitesConfig, own: Readonly<Record<string, number>> = {}): SiteLimits => ({
  files: own['files'] ?? config.files,
  totalBytes: own['total_bytes'] ?? config.totalBytes,
  fileBytes: own['file_bytes'] ?? config.fileBytes,
  dailyRequests: own['daily_requests'] ?? config.dailyRequests,
  dailyBytes: own['daily_bytes'] ?? config.dailyBytes,
  domains: own['domains_per_site'] ?? config.domainsPerSite,
})
