/* SPDX-License-Identifier: Apache-2.0 */
/* Reads `notify`: who gets a notice when a verdict turns. */
#include <string.h>

#include "model/names.h"
#include "suite/suite_sections.h"
#include "yaml/values.h"

#define EMAIL(member) offsetof(struct pawl_email_spec, member)
#define WEBHOOK(member) offsetof(struct pawl_webhook_spec, member)
#define NOTIFY(member) offsetof(struct pawl_notify_spec, member)

#define CHAT_SERVICE(name, function) name,
static const char *const service_words[] = {
#include "model/chat_services.inc"
    NULL};
#undef CHAT_SERVICE

static pawl_status read_server(const struct pawl_slot *slot, void *field) {
  PAWL_TRY(pawl_read_text(slot, field));
  const char *server = slot->node->text;
  const char *host = pawl_starts_with(server, "smtps://") ? server + 8 : server + 7;
  const bool scheme = pawl_starts_with(server, "smtps://") || pawl_starts_with(server, "smtp://");
  const size_t length =
      scheme ? strspn(host, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-:[]")
             : 0;
  if (length == 0 || host[length])
    return pawl_slot_fail(slot, slot->node, "smtps://HOST:PORT or smtp://HOST:PORT");
  return PAWL_OK;
}

/* Accepts the part of RFC 5321 that addresses use, and nothing that could be more than an
 * address. */
static bool is_address(const char *text) {
  static const char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_+=!#$%&'*/?^`{|}~";
  const size_t local = strspn(text, letters);
  const char *domain = text + local + (text[local] == '@');
  const size_t length =
      strspn(domain, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-");
  return local > 0 && text[local] == '@' && length > 0 && !domain[length] && *domain != '-' &&
         strlen(text) <= 254;
}

static pawl_status read_address(const struct pawl_slot *slot, void *field) {
  if (slot->node->kind != PAWL_YAML_SCALAR || !is_address(slot->node->text))
    return pawl_slot_fail(slot, slot->node, "an address such as perf@example.org");
  return pawl_read_text(slot, field);
}

static pawl_status read_addresses(const struct pawl_slot *slot, void *field) {
  PAWL_TRY(pawl_read_strings(slot, field));
  const struct pawl_strings *addresses = field;
  for (size_t i = 0; i < addresses->count; i++)
    if (!is_address(addresses->items[i]))
      return pawl_slot_fail(slot, slot->node->items[i],
                            "a list of addresses such as [perf@example.org]");
  return PAWL_OK;
}

static pawl_status read_link(const struct pawl_slot *slot, void *field) {
  if (slot->node->kind != PAWL_YAML_SCALAR || !pawl_starts_with(slot->node->text, "https://"))
    return pawl_slot_fail(slot, slot->node, "an address that begins with https://");
  return pawl_read_text(slot, field);
}

static const struct pawl_key email_rows[] = {
    {"server", read_server, EMAIL(server), .required = true},
    {"from", read_address, EMAIL(from), .required = true},
    {"to", read_addresses, EMAIL(to), .min = 1, .required = true},
    {"user", pawl_read_text, EMAIL(user), .needs = "password"},
    {"password", pawl_read_secret, EMAIL(password), .needs = "user"},
};
static const struct pawl_keys email_keys = PAWL_KEYS(email_rows, NULL);

static const struct pawl_key webhook_rows[] = {
    {"service", pawl_read_choice, WEBHOOK(service), .words = service_words, .required = true},
    {"url", pawl_read_secret, WEBHOOK(url), .required = true},
};
static const struct pawl_keys webhook_keys = PAWL_KEYS(webhook_rows, NULL);

static pawl_status read_webhooks(const struct pawl_slot *slot, void *field) {
  struct pawl_notify_spec *notify = field;
  const struct pawl_yaml *map = slot->node;
  if (map->kind != PAWL_YAML_MAP)
    return pawl_slot_fail(slot, map, "a mapping of names to webhooks");
  notify->webhooks =
      pawl_arena_alloc(slot->reader->arena, map->count + 1, sizeof *notify->webhooks);
  for (size_t i = 0; i < map->count; i++) {
    struct pawl_webhook_spec *webhook = &notify->webhooks[i];
    webhook->name = map->keys[i]->text;
    if (!pawl_is_name(webhook->name))
      return pawl_yaml_fail(slot->reader, map->keys[i],
                            "the name of a webhook has letters, digits and _ . - only");
    const char *owner = pawl_arena_printf(slot->reader->arena, "webhook '%s'", webhook->name);
    PAWL_TRY(pawl_keys_read(slot->reader, &webhook_keys, owner, map->items[i], webhook));
  }
  notify->webhook_count = map->count;
  return PAWL_OK;
}

static const struct pawl_key notify_rows[] = {
    {"link", read_link, NOTIFY(link)},
    {"email", pawl_read_map, NOTIFY(email), .table = &email_keys},
    {"webhooks", read_webhooks, 0},
};
static const struct pawl_keys notify_keys = PAWL_KEYS(notify_rows, NULL);

pawl_status pawl_read_notify(const struct pawl_slot *slot, void *field) {
  struct pawl_suite *suite = field;
  return pawl_keys_read(slot->reader, &notify_keys, "notify", slot->node, &suite->notify);
}
