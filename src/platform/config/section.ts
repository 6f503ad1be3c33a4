/** How rooms declare their settings: each section is a TypeBox schema in the room that uses it. */
import type { Static, TSchema } from 'typebox'
import { type Env, type Variable, type VariableReader, variableReader } from '#platform/env'
import type { ProcessSettings, Settings } from './config.ts'
import { readSchema } from './read-schema.ts'
import type { ConfigNode } from './yaml-reader.ts'

/** What a section reads besides its value. */
export interface SectionContext<Declared extends Variable = Variable> {
  /** The node of a member in the file, for refusals; without a path, the node of the section. */
  at(...path: (string | number)[]): ConfigNode | undefined
  /** Reads a variable that the section declares. */
  variable: VariableReader<Declared>
  /** The settings of the process, on which some sections depend. */
  processSettings: ProcessSettings
}

export interface Section<Key extends keyof Settings = keyof Settings> {
  /** The member of `Config`, and the section's name in the file if it has a schema. */
  name: Key
  /** The schema of the section in the file; absent if all its settings come from the environment. */
  schema?: TSchema
  variables: readonly Variable[]
  read(
    node: ConfigNode | undefined,
    env: Pick<Env, 'variables'>,
    processSettings: ProcessSettings,
  ): Settings[Key]
}

/** A section of the configuration file, and the variables beside it. `read` gets the checked value, defaults filled in. */
export function fileSection<
  const Key extends keyof Settings,
  Schema extends TSchema,
  const Variables extends readonly Variable[] = readonly [],
>(declared: {
  name: Key
  schema: Schema
  variables?: Variables
  read(value: Static<Schema>, context: SectionContext<Variables[number]>): Settings[Key]
}): Section<Key> {
  return {
    name: declared.name,
    schema: declared.schema,
    variables: declared.variables ?? [],
    read: (node, env, processSettings) =>
      declared.read(readSchema(declared.schema, node), {
        at: (...path) => node?.find(...path),
        variable: variableReader<Variables[number]>(declared.variables ?? [], env.variables),
        processSettings,
      }),
  }
}

/** A section whose settings come only from the environment. `read` also gets the settings of the process, on which some sections depend. */
export function variableSection<
  const Key extends keyof Settings,
  const Variables extends readonly Variable[],
>(declared: {
  name: Key
  variables: Variables
  read(variable: VariableReader<Variables[number]>, processSettings: ProcessSettings): Settings[Key]
}): Section<Key> {
  return {
    name: declared.name,
    variables: declared.variables,
    read: (_, env, processSettings) =>
      declared.read(variableReader<Variables[number]>(declared.variables, env.variables), processSettings),
  }
}
