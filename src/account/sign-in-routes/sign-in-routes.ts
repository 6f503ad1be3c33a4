/** The routes by which people sign in, sign up, recover a password, and prove themselves again (docs/decisions/account/sign-in.md). */
import { textJob } from '#account/phones'
import type { Route } from '#platform/http'
import type { SignInApp } from './app.ts'
import { signInRoutes } from './routes.ts'

export type { SignInApp } from './app.ts'

export const signIn: { name: string; routes: Route<SignInApp>[]; jobs: [typeof textJob] } = {
  name: 'sign-in',
  routes: signInRoutes,
  jobs: [textJob],
}
