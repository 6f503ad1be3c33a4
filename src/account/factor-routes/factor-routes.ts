/** The routes of second factors and passkeys: changes by their person, sign-in and step-up by a passkey, and the help of owners. */
import { factorJobs } from '#account/factors'
import { routes } from './routes.ts'

export const factorRoutes = { name: 'factors', routes, jobs: factorJobs }
