import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { startTestPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what the tests of one process share; it goes away when the run ends. */
    scratch: string
  }
}

/** One PostgreSQL and one folder for the whole run; answers how to end both. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres(process.env['DATABASE_URL'])
  const scratch = await mkdtemp(path.join(tmpdir(), 'kherad-scratch-'))
  // As root, PostgreSQL runs as another user, who has to walk through.
  await chmod(scratch, 0o711)
  project.provide('postgres', { adminUrl: postgres.adminUrl, template: postgres.template })
  project.provide('scratch', scratch)
  return async () => {
    await postgres[Symbol.asyncDispose]()
    await rm(scratch, { recursive: true, force: true })
  }
}
