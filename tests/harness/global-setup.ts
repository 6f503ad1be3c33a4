import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { measureMachine } from '../suite/factor.ts'
import { compileCache } from './compile-cache.ts'
import { startTestPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for files that the tests of one process share; it is deleted when the run ends. */
    scratch: string
  }
}

/**
 * Starts one PostgreSQL, measures the machine with it, and makes one folder for the whole run; returns the function that ends them.
 */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres(process.env['DATABASE_URL'])
  const machine = await measureMachine(postgres.adminUrl)
  console.log(
    `--- the machine takes ${machine.processor} times the processor time of the reference, and ${machine.clock} times as long by the clock`,
  )
  // Workers inherit them.
  process.env['KHERAD_MACHINE_FACTOR'] = String(machine.processor)
  process.env['KHERAD_CLOCK_FACTOR'] = String(machine.clock)
  Object.assign(process.env, compileCache)
  const scratch = await mkdtemp(path.join(tmpdir(), 'kherad-scratch-'))
  // If this runs as root, PostgreSQL runs as another user, who must be able to traverse the folder.
  await chmod(scratch, 0o711)
  project.provide('postgres', { adminUrl: postgres.adminUrl, template: postgres.template })
  project.provide('scratch', scratch)
  return async () => {
    await postgres[Symbol.asyncDispose]()
    await rm(scratch, { recursive: true, force: true })
  }
}
