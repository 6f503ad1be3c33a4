import { leaseNames, sqlClock } from './names.ts'
import type { SourceFile } from './offences.ts'

const functionHeads = /create (?:or replace )?function ([\w.]{1,80})\(/g
const tables = /create table ([\w.]{1,80}) \(([^;]{0,99999});/g
const alterations = /alter table ([\w.]{1,80})\s([^;]{0,9999});/g
const newDefault = /(?:alter column|add column) (\w{1,80})[^,]{0,200}?default ([^,]{1,200})/g
const columnDefault = /^\s{0,9}(\w{1,80}) timestamptz[^\n]{0,200}?default ([\w.]{1,80}\(\))/gm

/** Where a function or a default that stands in the end asks another clock for a lease. A file that was released stays as it is. */
export function migrationOffences(files: readonly SourceFile[]): string[] {
  const bodies = new Map<string, { file: string; body: string }>()
  const defaults = new Map<string, { file: string; value: string }>()
  for (const { file, code } of files) {
    const sql = code.replace(/--[^\n]{0,9999}/g, '')
    for (const { 1: name, index } of sql.matchAll(functionHeads)) {
      const begin = sql.indexOf('$$', index) + 2
      bodies.set(name!, { file, body: sql.slice(begin, sql.indexOf('$$', begin)) })
    }
    for (const [, table, columns] of sql.matchAll(tables))
      for (const [, column, value] of columns!.matchAll(columnDefault))
        defaults.set(`${table}.${column}`, { file, value: value! })
    for (const [, table, changes] of sql.matchAll(alterations))
      for (const [, column, value] of changes!.matchAll(newDefault))
        defaults.set(`${table}.${column}`, { file, value: value! })
  }
  const clocked = [...bodies].filter(([, { body }]) => leaseNames.test(body) && sqlClock.test(body))
  const dated = [...defaults].filter(([name, { value }]) => leaseNames.test(name) && sqlClock.test(value))
  return [
    ...clocked.map(([name, { file, body }]) => `${file} ${name}: ${sqlClock.exec(body)![0]}\n    ${instead}`),
    ...dated.map(([name, { file, value }]) => `${file} the default of ${name}: ${value}\n    ${instead}`),
  ]
}

const instead = 'a lease asks platform.now(); a later migration can replace it'
