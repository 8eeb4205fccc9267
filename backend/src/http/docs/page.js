// Shows the OpenAPI document of this server; nothing is fetched from anywhere else.

/** An element with its attributes and children; text stays text. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** An example of a schema, with references followed three levels down. */
function outline(schema, schemas, depth = 0) {
  if (!schema) return "any";
  if (schema.$ref) {
    const name = schema.$ref.split("/").pop();
    return depth < 3 ? outline(schemas[name], schemas, depth + 1) : name;
  }
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (choices) return choices.map((choice) => outline(choice, schemas, depth)).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => {
        const required = schema.required?.includes(name) ? name : `${name}?`;
        return [required, outline(property, schemas, depth)];
      }),
    );
  }
  if (schema.items) return [outline(schema.items, schemas, depth)];
  return [schema.type ?? "any"].flat().join(" or ");
}

/** A body of a request or an answer: its media types and their shapes. */
function bodies(content, schemas) {
  return Object.entries(content ?? {}).map(([type, { schema, example }]) => {
    const shape = example ?? schema?.example ?? outline(schema, schemas);
    return element("div", {}, element("code", {}, type), element("pre", {}, JSON.stringify(shape, null, 2)));
  });
}

function parameters(list) {
  const rows = list.map(({ name, in: where, required, description, schema }) =>
    element(
      "tr",
      {},
      element("td", {}, element("code", {}, name)),
      element("td", {}, `${where}${required ? ", required" : ""}`),
      element("td", {}, [schema?.type ?? ""].flat().join(" or ")),
      element("td", {}, description ?? ""),
    ),
  );
  return element("table", {}, ...rows);
}

function call(method, path, operation, schemas) {
  const parts = [
    element(
      "summary",
      {},
      element("span", { class: "method" }, method),
      element("code", {}, path),
      ` ${operation.summary ?? ""}`,
    ),
    element("p", {}, operation.description === operation.summary ? "" : operation.description),
  ];
  if (operation.parameters?.length) parts.push(element("h4", {}, "Parameters"), parameters(operation.parameters));
  if (operation.requestBody) parts.push(element("h4", {}, "Body"), ...bodies(operation.requestBody.content, schemas));
  for (const [status, answer] of Object.entries(operation.responses)) {
    parts.push(element("h4", {}, `${status}: ${answer.description}`));
    if (status < "400") parts.push(...bodies(answer.content, schemas));
  }
  const text = `${method} ${path} ${operation.summary ?? ""} ${operation.description ?? ""}`.toLowerCase();
  return element("details", { "data-text": text }, ...parts);
}

/** The calls under their headings, in the document's order. */
function headings(api) {
  const schemas = api.components?.schemas ?? {};
  const byTag = new Map();
  for (const [path, item] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const tag = operation.tags?.[0] ?? "Other";
      byTag.set(tag, [...(byTag.get(tag) ?? []), call(method, path, operation, schemas)]);
    }
  }
  return [...byTag].map(([tag, calls]) => element("section", {}, element("h2", {}, tag), ...calls));
}

async function show() {
  const api = await (await fetch("/api/openapi.json")).json();
  document.getElementById("origin").textContent = location.origin;
  document.getElementById("about").textContent = api.info.description;
  document.getElementById("calls").replaceChildren(...headings(api));
  document.getElementById("search").addEventListener("input", ({ target }) => {
    const wanted = target.value.trim().toLowerCase();
    for (const one of document.querySelectorAll("details")) one.hidden = !one.dataset.text.includes(wanted);
    for (const section of document.querySelectorAll("#calls section")) {
      section.hidden = !section.querySelector("details:not([hidden])");
    }
  });
}

show();
