/** Schemas whose content the app sees: policies and SQL of developers name it. */
const shownSchemas = ['auth', 'storage']
const hiddenSchemas = ['information_schema', 'kherad', 'app_users', 'extensions']

const listed = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')

/** Lists for `in (…)` of our schemas, and of PostgreSQL's beside those that begin with `pg_`. All others are the app's. */
export const ourSchemas = {
  shown: listed(shownSchemas),
  hidden: listed(hiddenSchemas),
  all: listed([...shownSchemas, ...hiddenSchemas]),
}
