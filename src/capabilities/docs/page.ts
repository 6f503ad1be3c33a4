import type { Language } from '#platform/errors'
import type { Route } from '#platform/http'

export function pageOf(routes: readonly Route[], baseUrl: string, language: Language): string {
  return `${routes.length} ${baseUrl} ${language}`
}
