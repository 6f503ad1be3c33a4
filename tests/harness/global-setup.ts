import type { TestProject } from 'vitest/node'
import { startTestPostgres } from './postgres.ts'

/** One PostgreSQL for the whole run; answers how to stop it. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres(process.env['DATABASE_URL'])
  project.provide('postgres', { adminUrl: postgres.adminUrl, template: postgres.template })
  return async () => postgres[Symbol.asyncDispose]()
}
