import { isJsonMap } from '../../core/json.ts';

/** Some clients send `null` as the arguments of a tool that needs none, which the library refuses. They count as absent. */
export function withoutNullArguments<Message>(message: Message): Message {
  if (!isJsonMap(message) || !isJsonMap(message['params']) || message['params']['arguments'] !== null)
    return message;
  const { arguments: _, ...params } = message['params'];
  return { ...message, params };
}
