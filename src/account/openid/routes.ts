import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { type OpenIdApp, route } from './app.ts'
import { beginLink, beginSignIn, beginStepUp } from './begin.ts'
import { finish } from './finish.ts'
import { listIdentities, unlink } from './link.ts'
import {
  BeginBody,
  FinishBody,
  FinishReply,
  IdentityList,
  ProviderAddress,
  ProviderParams,
  SignInBody,
  UnlinkedIdentity,
} from './schema.ts'
import './phrases.ts'

/** Nobody needs a session, and only pages of this server may sign a browser in. */
const open = { method: 'POST', scope: 'public', fromOwnPage: true } as const
/** Somebody has a session, and no project is needed. */
const own = { scope: 'person' } as const

const begins: FailureCode[] = [
  'NOT_FOUND',
  'INVALID_REQUEST',
  'TOO_MANY_ATTEMPTS',
  'OPENID_FAILED',
  'SECRETS_SEALED',
]

export const routes: Route<OpenIdApp>[] = [
  route({
    ...open,
    path: '/v1/sign-in/openid/{provider}',
    operation: 'openid.begin',
    summary: {
      en: 'Begin to sign in with a provider of OpenID Connect. The page sends the browser to the address in the answer.',
      fa: 'آغاز ورود با یک ارائه‌دهندهٔ OpenID Connect. صفحه مرورگر را به نشانی پاسخ می‌فرستد.',
    },
    params: ProviderParams,
    body: SignInBody,
    reply: { 200: ProviderAddress },
    errors: begins,
    handle: beginSignIn,
  }),
  route({
    ...open,
    path: '/v1/sign-in/openid/finish',
    operation: 'openid.finish',
    summary: {
      en: 'End what was begun with a provider: a sign-in, a link or a step-up. The page to which the provider sent the browser hands in its own address, once and in the browser that began.',
      fa: 'پایان آنچه با ارائه‌دهنده آغاز شد: ورود، پیوند یا تأیید دوبارهٔ هویت. صفحه‌ای که ارائه‌دهنده مرورگر را به آن فرستاده نشانی خودش را می‌دهد، یک بار و در همان مرورگری که آغاز کرد.',
    },
    body: FinishBody,
    reply: { 200: FinishReply },
    errors: [
      'OPENID_ANSWER_INVALID',
      'OPENID_FAILED',
      'OPENID_NOT_ALLOWED',
      'OPENID_LINK_REQUIRED',
      'OPENID_IDENTITY_TAKEN',
      'OPENID_NOT_FRESH',
      'EMAIL_TAKEN',
      'TOO_MANY_ACCOUNTS',
      'INVITATION_INVALID',
      'NOT_SIGNED_IN',
      'SECOND_FACTOR_NEEDED',
      'STEP_UP_REQUIRED',
      'TOO_MANY_ATTEMPTS',
      'SECRETS_SEALED',
    ],
    handle: finish,
  }),
  route({
    ...own,
    method: 'POST',
    path: '/v1/step-up/openid/{provider}',
    operation: 'openid.stepUp',
    summary: {
      en: 'Begin to confirm who is there with a linked provider, which asks for a factor anew.',
      fa: 'آغاز تأیید دوبارهٔ هویت با ارائه‌دهنده‌ای که پیوند دارد و از نو ورود می‌خواهد.',
    },
    params: ProviderParams,
    body: BeginBody,
    reply: { 200: ProviderAddress },
    errors: begins,
    handle: beginStepUp,
  }),
  route({
    ...own,
    method: 'GET',
    path: '/v1/me/identities',
    operation: 'openid.list',
    summary: {
      en: 'The accounts of providers that are linked to the person, the first one first.',
      fa: 'حساب‌های ارائه‌دهندگان که به شخص پیوند دارند، نخستین آن‌ها اول.',
    },
    reply: { 200: IdentityList },
    errors: [],
    handle: listIdentities,
  }),
  route({
    ...own,
    stepUp: true,
    method: 'POST',
    path: '/v1/me/identities/{provider}',
    operation: 'openid.link',
    summary: {
      en: 'Begin to link an account of a provider, by which the person can sign in from then on.',
      fa: 'آغاز پیوند یک حساب ارائه‌دهنده که شخص از آن پس با آن وارد می‌شود.',
    },
    params: ProviderParams,
    body: BeginBody,
    reply: { 200: ProviderAddress },
    errors: begins,
    handle: beginLink,
  }),
  route({
    ...own,
    stepUp: true,
    audited: true,
    method: 'DELETE',
    path: '/v1/me/identities/{provider}',
    operation: 'openid.unlink',
    summary: {
      en: 'Unlink the account of a provider, and end the memberships that it made. The last way to sign in stays.',
      fa: 'برداشتن پیوند حساب ارائه‌دهنده و پایان عضویت‌هایی که ساخته است. آخرین راه ورود می‌ماند.',
    },
    params: ProviderParams,
    reply: { 200: UnlinkedIdentity },
    errors: ['NOT_FOUND', 'LAST_WAY_IN'],
    handle: unlink,
  }),
]
